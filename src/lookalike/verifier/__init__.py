"""Check a release against its certificate, by someone who never saw the original.

This is a reader of its own: it recounts every class and recomputes every promise from the released values with plain
definitions, and shares no counting code with what made the release.
"""

from lookalike.verifier.findings import Finding, Verification
from lookalike.verifier.verifying import verify

__all__ = ["Finding", "Verification", "verify"]
