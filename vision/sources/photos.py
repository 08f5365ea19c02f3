"""Open any photograph that a phone, a webcam or a scanner makes, upright and in RGB."""

from __future__ import annotations

import io
import re
import struct
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from PIL import ExifTags, Image, UnidentifiedImageError

from scoring.errors import RefereeError
from vision.types import Rgb

PIXELS_MAX = 200_000_000
"""As large as any phone's sensor; more is a file made to fill the memory."""
PIXELS_MAX_UNUSUAL = 120_000_000
"""The same for what no camera saves at full size, which takes more memory while it is read: all but JPEG."""
STRIP_PX = 4_000_000
"""So many pixels are brought to 8 bit at a time."""
BYTES_MAX = 1_000_000_000
STRIP = 25
"""So many times as long as it is wide, a picture is no photograph."""

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".jpe", ".png", ".heic", ".heif", ".avif", ".webp", ".tif", ".tiff", ".bmp", ".gif"}
)
"""Endings by which a folder's pictures are told from its other files; a photo that is named may end as it likes."""

_VIDEO_SUFFIXES = frozenset({".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".mpg", ".mpeg"})
_FORMATS = ("JPEG", "MPO", "PNG", "HEIF", "AVIF", "WEBP", "TIFF", "BMP", "DIB", "GIF", "PPM", "JPEG2000")
"""What is opened: some of the other formats that Pillow knows are programs, which it would start an interpreter for."""
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""Ends the coded data of a JPEG: within them a byte of ones is followed by a zero, or by a mark to start anew."""
_END = 0xD9
_BETWEEN = frozenset((0xC4, *range(0xDA, 0xDE), *range(0xE0, 0xF0), 0xFE))
"""What may stand between two passes of coded data: tables, the next pass, remarks."""
_heif_lock = threading.Lock()
_heif_known = False

# The limit is checked here, before anything is decoded, with an error that names the file; Pillow's own is a
# warning that a user would see besides.
Image.MAX_IMAGE_PIXELS = None


class PhotoError(RefereeError):
    """A photograph that cannot be used; the message names the file and the mend in one line."""


_DAMAGED = (OSError, ValueError, SyntaxError, struct.error, EOFError, RuntimeError, MemoryError)
"""What the readers of pictures raise for damaged files, or for pictures larger than this computer's memory."""


def load_photo(path: Path | str) -> Rgb:
    """Read one photograph.

    Parameters
    ----------
    path
        Any file that `load_bytes` understands.

    Returns
    -------
    Rgb
        (H, W, 3) RGB `uint8`, turned upright as its EXIF data say.

    Raises
    ------
    PhotoError
        Where the file is missing, a folder, empty, cut off, too large or no picture.
    """
    path = Path(path)
    if path.is_dir():
        raise PhotoError(f"{path}: this is a folder; name the photos in it, for example {path / '*.jpg'}")
    try:
        if path.exists() and not path.is_file():
            raise PhotoError(f"{path}: this is a device or a pipe, no file; name a photo")
        if not path.is_file():
            raise PhotoError(f"{path}: there is no such file; check the name and the folder")
        if path.stat().st_size > BYTES_MAX:
            raise PhotoError(f"{path}: too large for a photo{_video_hint(path)}")
        data = path.read_bytes()
    except OSError as error:
        raise PhotoError(f"{path}: cannot be read ({error.strerror}); check the file's permissions") from error
    return load_bytes(data, str(path))


def load_bytes(data: bytes, name: str, pixels_max: int = PIXELS_MAX) -> Rgb:
    """Decode one photograph, as from an upload.

    Parameters
    ----------
    data
        JPEG, PNG, HEIC, AVIF, WebP, TIFF, BMP or GIF (its first picture); grey, palette, CMYK, 16 bit and
        transparent pictures too. What is transparent is laid over white.
    name
        What the messages call it.
    pixels_max
        A larger picture is refused before it is decoded.

    Returns
    -------
    Rgb
        (H, W, 3) RGB `uint8`, upright.

    Raises
    ------
    PhotoError
        Where no picture can be made of the data.
    """
    if not data:
        raise PhotoError(f"{name}: the file is empty; copy it from the camera again")
    with warnings.catch_warnings():
        # Pillow warns of every odd tag; what matters is whether a picture comes out.
        warnings.simplefilter("ignore")
        return _decoded(data, name, pixels_max)


def _decoded(data: bytes, name: str, pixels_max: int) -> Rgb:
    try:
        picture = _open(data)
    except UnidentifiedImageError as error:
        return _from_opencv(data, name, error)
    except _DAMAGED as error:
        raise PhotoError(f"{name}: the picture is damaged ({_short(error)}); copy it from the camera again") from error
    with picture:
        width, height = picture.size
        usual = picture.format in ("JPEG", "MPO") and picture.mode in ("RGB", "L")
        _check_size(name, width, height, pixels_max if usual else min(pixels_max, PIXELS_MAX_UNUSUAL))
        if usual:
            return _from_jpeg(data, name)
        try:
            picture.load()
            return _from_pillow(picture)
        except _DAMAGED as error:
            raise PhotoError(
                f"{name}: the picture is cut off or damaged ({_short(error)}); copy it from the camera again"
            ) from error


def _check_size(name: str, width: int, height: int, most: int) -> None:
    if width * height > most:
        raise PhotoError(
            f"{name}: {width} x {height} pixels are too many; scale it to {most // 1_000_000} megapixels or less"
        )
    if max(width, height) > STRIP * min(width, height) > 0:
        raise PhotoError(
            f"{name}: {width} x {height} pixels are a strip, no photo; give the photo as the camera made it"
        )


def _open(data: bytes) -> Image.Image:
    global _heif_known
    # An ISO media file: HEIC pictures of phones. The library for them is loaded when the first one comes.
    if data[4:8] == b"ftyp":
        with _heif_lock:
            if not _heif_known:
                import pillow_heif

                pillow_heif.register_heif_opener()
                _heif_known = True
    Image.init()
    return Image.open(io.BytesIO(data), formats=[f for f in _FORMATS if f in Image.OPEN])


def _from_jpeg(data: bytes, name: str) -> Rgb:
    # OpenCV decodes a JPEG about twice as fast as Pillow and turns it upright by itself, but fills up a file
    # that was cut off with grey, makes something of one that is damaged, and says nothing.
    _check_coded(data, name)
    try:
        rgb = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error as error:
        raise PhotoError(f"{name}: the picture is damaged; copy it from the camera again") from error
    if rgb is None:
        raise PhotoError(f"{name}: the picture is damaged; copy it from the camera again")
    return cast(Rgb, rgb)


def _check_coded(data: bytes, name: str) -> None:
    """Refuse a JPEG whose coded data have no end, or hold a marker that is none of theirs: other bytes lie there.

    Damage that makes no such marker, as a hole filled with zeros, is not seen.
    """
    at = _scan_start(data)
    while (found := _MARKER.search(data, at)) is not None:
        mark, at = data[found.end() - 1], found.end()
        if mark == _END:
            return
        if mark not in _BETWEEN:
            raise PhotoError(f"{name}: the picture is damaged; copy it from the camera again")
        at += int.from_bytes(data[at : at + 2], "big")
    raise PhotoError(f"{name}: the picture is cut off; copy it from the camera again")


def _scan_start(data: bytes) -> int:
    """Where the coded data of the first picture begin, behind its headers and the small picture within them."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        if data[at + 1] == 0xDA:
            return at
        if data[at + 1] == 0xFF:  # fill byte
            at += 1
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return at


def _from_pillow(picture: Image.Image) -> Rgb:
    # In strips, and turned only when the reader's own copy is gone: large pictures lie in memory twice, not six times.
    turn = picture.getexif().get(ExifTags.Base.Orientation, 1)
    width, height = picture.size
    rgb = np.empty((height, width, 3), np.uint8)
    rows = max(1, STRIP_PX // width)
    strips = [(0, top, width, min(top + rows, height)) for top in range(0, height, rows)]
    deep = picture.mode.startswith("I") or picture.mode == "F"
    full = _full_scale(picture, strips) if deep else 255.0
    for box in strips:
        strip = picture.crop(box)
        if deep:
            grey = np.nan_to_num(np.asarray(strip, np.float64)) * (255.0 / full) + 0.5
            rgb[box[1] : box[3]] = np.clip(grey, 0, 255).astype(np.uint8)[:, :, None]
            continue
        if picture.has_transparency_data:
            layer = strip.convert("RGBA")
            strip = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
        rgb[box[1] : box[3]] = np.asarray(strip.convert("RGB"))
    picture.close()
    mirrored, quarters = _UPRIGHT.get(turn, (False, 0))
    return np.ascontiguousarray(np.rot90(rgb[:, ::-1] if mirrored else rgb, quarters))


_UPRIGHT = {2: (True, 0), 3: (False, 2), 4: (True, 2), 5: (True, 1), 6: (False, 3), 7: (True, 3), 8: (False, 1)}
"""EXIF orientation to whether the picture is mirrored left to right, and how many quarters it is then turned left."""


def _full_scale(picture: Image.Image, strips: Sequence[tuple[int, int, int, int]]) -> float:
    """What is white in grey values of more than 8 bit: whole numbers run to 255 or 65535, fractions to 1."""
    highest = max(float(np.nanmax(np.asarray(picture.crop(box), np.float64), initial=0.0)) for box in strips)
    return 1.0 if highest <= 1.0 else 255.0 if highest <= 255.0 else 65535.0


def _from_opencv(data: bytes, name: str, cause: Exception) -> Rgb:
    """Pictures that Pillow does not know, such as colour TIFFs of 16 bit."""
    hint = _video_hint(Path(name))
    unknown = PhotoError(f"{name}: not a picture{hint or '; give a JPEG, PNG, HEIC, WebP or TIFF file'}")
    if data[:4] not in (b"II*\x00", b"MM\x00*"):
        raise unknown from cause
    _check_size(name, *_tiff_size(data), PIXELS_MAX_UNUSUAL)
    try:
        rgb = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error as error:
        raise unknown from error
    if rgb is None:
        raise unknown from cause
    return cast(Rgb, rgb)


def _tiff_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels that the first directory of a TIFF states; 0 for what it does not."""
    order = "<" if data[:2] == b"II" else ">"
    size = {256: 0, 257: 0}
    try:
        (at,) = struct.unpack_from(order + "I", data, 4)
        (entries,) = struct.unpack_from(order + "H", data, at)
        for n in range(entries):
            tag, kind = struct.unpack_from(order + "HH", data, at + 2 + 12 * n)
            if tag in size:
                (size[tag],) = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, at + 10 + 12 * n)
    except struct.error:
        pass
    return size[256], size[257]


def _video_hint(path: Path) -> str:
    if path.suffix.lower() in _VIDEO_SUFFIXES:
        return f"; for a recording use: referee watch GAME --source {path}"
    return ""


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__
