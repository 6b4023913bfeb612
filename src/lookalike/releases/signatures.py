"""Signed certificates: whoever holds the public key knows that a certificate is as its signer wrote it, every field.

Ed25519 (RFC 8032) over the bytes of certificate.json, which holds the digests of the release and of the files beside
it. Keys are PEM files as other tools write and read them (PKCS 8, SubjectPublicKeyInfo). The signature lies beside the
certificate.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.base.checks import checked
from lookalike.base.errors import FileError, MissingExtra, in_words
from lookalike.base.writing import write_file
from lookalike.tables.sources.documents import read_document
from lookalike.tables.sources.secrets import read_secret, write_secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = 1
SIGNATURE = "certificate.json.sig"
_MEANT = b"Lookalike certificate, format 1\0"  # so that the key signs nothing else by mistake


@checked
def generate_signing_key(path: str | Path) -> Path:
    """Write a new secret key for signing to `path`, for its owner only, and its public key to `path`.pub.

    Examples:
        >>> import lookalike as la
        >>> la.generate_signing_key("office.key").name
        'office.key.pub'
    """
    _require()
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public = Path(f"{path}.pub")
    if public.exists():
        raise FileError(f"{public}: exists already; a key is never overwritten. Choose another name.")
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    shown = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    try:
        write_secret(path, secret)
        write_secret(public, shown, mode=0o644)
    except FileError:
        place = Path(path)  # half a pair would be in the way of the next
        if not public.exists() and place.is_file() and place.read_bytes() == secret:
            place.unlink()
        raise
    return public


@checked
def sign(folder: str | Path, *, key: str | Path) -> Path:
    """Sign the certificate in the folder of a release; the signature is written beside it.

    key: the file of the secret key that `la.generate_signing_key` made.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> _ = release.save("out")
        >>> public = la.generate_signing_key("office.key")
        >>> la.sign("out", key="office.key").name
        'certificate.json.sig'
        >>> la.verify("out/release.csv", "out/certificate.json", signer=public).ok
        True
    """
    _require()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    certificate = Path(folder) / "certificate.json"
    read_document(certificate, "certificate")
    try:
        secret = load_pem_private_key(read_secret(key), password=None)
    except (ValueError, TypeError):
        secret = None
    if not isinstance(secret, Ed25519PrivateKey):
        raise FileError(f"{key}: is not a key for signing. Make one with: lookalike key FILE --signing")
    written = {
        "format": FORMAT,
        "algorithm": "Ed25519",
        "signer": _hex(secret.public_key()),
        "signature": secret.sign(_MEANT + certificate.read_bytes()).hex(),
    }
    path = certificate.with_name(SIGNATURE)
    return write_file(path, json.dumps(written, indent=2) + "\n", what="the signature")


def signer_of(certificate: Path) -> str | None:
    """The public key that a certificate says it was signed with; None where it is not signed."""
    path = certificate.with_name(SIGNATURE)
    return str(_read(path)["signer"]) if path.exists() else None


def is_signed_by(certificate: Path, signer: str | Path) -> bool:
    """Whether a certificate carries a signature of the holder of this public key, over exactly its bytes."""
    _require()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public = load_pem_public_key(Path(signer).read_bytes())
    except OSError as problem:
        raise FileError(f"{signer}: the signer's key cannot be read ({in_words(problem)}).") from None
    except ValueError:
        public = None
    if not isinstance(public, Ed25519PublicKey):
        raise FileError(f"{signer}: is not a signer's public key; it is the file that ends in .pub.")
    path = certificate.with_name(SIGNATURE)
    if not path.exists():
        return False
    try:
        public.verify(bytes.fromhex(_read(path)["signature"]), _MEANT + certificate.read_bytes())
    except InvalidSignature:
        return False
    return True


def _read(path: Path) -> dict[str, Any]:
    written = read_document(path, "signature")
    if written.get("format") != FORMAT or written.get("algorithm") != "Ed25519":
        raise FileError(f"{path}: is not a signature of format {FORMAT}.")
    try:
        fits = len(bytes.fromhex(written["signature"])) == 64 and len(bytes.fromhex(written["signer"])) == 32
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise FileError(f"{path}: is not a signature as Lookalike writes them.")
    return written


def _hex(public: Ed25519PublicKey) -> str:
    return public.public_bytes_raw().hex()


def _require() -> None:
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError:
        raise MissingExtra("cryptography", "sign", "Signing, and checking a signature,") from None
