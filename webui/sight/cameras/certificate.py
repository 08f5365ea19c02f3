"""The referee's own certificate: a phone's browser gives its camera to an https page only."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import os
import socket
import ssl
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FILE = "certificate.pem"
LASTS = datetime.timedelta(days=820)
"""Browsers of phones take no certificate that is valid for longer than 825 days."""
RENEWED_BEFORE = datetime.timedelta(days=14)


def secure_context(folder: Path, hosts: Sequence[str], now: datetime.datetime | None = None) -> ssl.SSLContext:
    """A server's TLS context with a certificate of this computer's own; made once and kept.

    Parameters
    ----------
    folder
        Where the certificate is kept, readable by this user only.
    hosts
        Names and addresses by which other devices call this computer.
    now
        The time; the clock's where it is not given.

    Raises
    ------
    OSError
        Where it can be neither read nor written.
    """
    path = folder / FILE
    moment = now or datetime.datetime.now(datetime.UTC)
    # A computer's name that no certificate can hold, as one with an umlaut, is left out: the address is enough.
    asked = (*hosts, socket.gethostname(), "localhost", "127.0.0.1")
    names = tuple(dict.fromkeys(name for name in asked if name and name.isascii()))
    if not _serves(path, names, moment):
        _write(path, names, moment)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def _serves(path: Path, names: Sequence[str], now: datetime.datetime) -> bool:
    """Whether the kept certificate is of use: readable, in time, and for all these names."""
    try:
        data = path.read_bytes()
        kept = x509.load_pem_x509_certificate(data)
        key = serialization.load_pem_private_key(data, None)
        told = kept.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        return False
    if key.public_key() != kept.public_key():
        return False
    known = {*told.get_values_for_type(x509.DNSName), *map(str, told.get_values_for_type(x509.IPAddress))}
    return kept.not_valid_before_utc <= now <= kept.not_valid_after_utc - RENEWED_BEFORE and known >= set(names)


def _write(path: Path, names: Sequence[str], now: datetime.datetime) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table-referee at this computer")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + LASTS - datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([_general_name(n) for n in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    with contextlib.suppress(FileNotFoundError):
        beside.unlink()
    # Never readable by others, not even for the moment of writing.
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret + certificate.public_bytes(serialization.Encoding.PEM))
    beside.replace(path)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
