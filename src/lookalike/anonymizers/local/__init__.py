"""Local recoding: classes built and improved one by one; `recode` runs the stages."""

from lookalike.anonymizers.local.refining import Local, recode

__all__ = ["Local", "recode"]
