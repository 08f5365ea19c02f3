"""Photos of every kind that phones, webcams and scanners make."""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image, ImageOps

from vision.sources.photos import PhotoError, load_bytes, load_photo

RED, GREEN, BLUE, GREY = (220, 30, 30), (30, 200, 40), (30, 40, 210), (120, 120, 120)


def quarters(width: int = 96, height: int = 64) -> Image.Image:
    """A picture whose quarters tell which way it is turned: red, green / blue, grey."""
    picture = Image.new("RGB", (width, height))
    for n, colour in enumerate((RED, GREEN, BLUE, GREY)):
        at = (n % 2 * width // 2, n // 2 * height // 2)
        picture.paste(colour, (*at, at[0] + width // 2, at[1] + height // 2))
    return picture


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def corners(rgb: np.ndarray) -> np.ndarray:
    """Colours in the middle of the four quarters, row by row."""
    h, w = rgb.shape[:2]
    return np.array(
        [rgb[h // 4, w // 4], rgb[h // 4, 3 * w // 4], rgb[3 * h // 4, w // 4], rgb[3 * h // 4, 3 * w // 4]]
    )


def shows_quarters(rgb: np.ndarray, tolerance: float = 12) -> bool:
    return bool(np.abs(corners(rgb).astype(int) - np.array([RED, GREEN, BLUE, GREY])).max() <= tolerance)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "AVIF"])
def test_common_formats_open_in_rgb(kind: str) -> None:
    """A picture of each common format comes out in RGB with its colours."""
    rgb = load_bytes(encoded(quarters(), kind), "a")
    assert rgb.dtype == np.uint8
    assert rgb.shape == (64, 96, 3)
    assert shows_quarters(rgb, 25)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_rotation_is_applied(kind: str, orientation: int) -> None:
    """Whichever way the phone was held, the picture comes out upright."""
    # What the sensor stores for an upright picture: the inverse of the turn that the tag asks for.
    stored = {
        1: None,
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }[orientation]
    picture = quarters() if stored is None else quarters().transpose(stored)
    exif = Image.Exif()
    exif[0x0112] = orientation
    rgb = load_bytes(encoded(picture, kind, exif=exif), "a")
    assert rgb.shape == (64, 96, 3)
    assert shows_quarters(rgb, 25)


def test_heic_of_a_phone_opens_upright() -> None:
    """A HEIC picture opens, and its rotation is applied once."""
    exif = Image.Exif()
    exif[0x0112] = 6
    heif = pillow_heif.from_pillow(quarters().transpose(Image.Transpose.ROTATE_90))
    buffer = io.BytesIO()
    heif.save(buffer, quality=90, exif=exif.tobytes())
    rgb = load_bytes(buffer.getvalue(), "IMG_1.HEIC")
    assert rgb.shape == (64, 96, 3)
    assert shows_quarters(rgb, 25)


def test_transparency_is_laid_over_white() -> None:
    """What is transparent in a PNG is white, also in a palette picture."""
    picture = quarters().convert("RGBA")
    alpha = Image.new("L", picture.size, 255)
    alpha.paste(0, (0, 0, 48, 32))
    picture.putalpha(alpha)
    for data in (
        encoded(picture, "PNG"),
        encoded(picture.convert("LA"), "PNG"),
        encoded(picture.quantize(16), "PNG"),
        encoded(picture, "WEBP", lossless=True),
    ):
        rgb = load_bytes(data, "a.png")
        assert rgb.shape == (64, 96, 3)
        assert rgb[5, 5].min() >= 250
        assert rgb[5, 90].min() < 200


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_16_bit_grey_keeps_its_brightness(kind: str) -> None:
    """16 bit grey values are scaled to 8 bit, not cut off."""
    ramp = np.linspace(0, 65535, 64, dtype=np.uint16)[None].repeat(16, axis=0)
    rgb = load_bytes(encoded(Image.fromarray(ramp), kind), "a")
    assert rgb.shape == (16, 64, 3)
    np.testing.assert_allclose(rgb[0, :, 0], np.linspace(0, 255, 64), atol=1)


@pytest.mark.parametrize("ending", [".png", ".tiff"])
def test_16_bit_colour_keeps_its_colours(ending: str) -> None:
    """16 bit colour pictures open with the colours of their 8 bit twins."""
    bgr = np.array(quarters())[:, :, ::-1].astype(np.uint16) * 257
    rgb = load_bytes(cv2.imencode(ending, bgr)[1].tobytes(), f"a{ending}")
    assert rgb.dtype == np.uint8
    assert shows_quarters(rgb, 2)


@pytest.mark.parametrize(("mode", "kind"), [("L", "JPEG"), ("L", "PNG"), ("1", "PNG"), ("P", "GIF"), ("CMYK", "JPEG")])
def test_other_colour_models_become_rgb(mode: str, kind: str) -> None:
    """Grey, black and white, palette and CMYK pictures come out in RGB."""
    rgb = load_bytes(encoded(quarters().convert(mode), kind), "a")
    assert rgb.shape == (64, 96, 3)
    if mode in ("P", "CMYK"):
        assert shows_quarters(rgb, 40)
    if mode == "L":
        want = np.array(quarters().convert("L"))
        np.testing.assert_allclose(corners(rgb)[:, 0], [want[16, 24], want[16, 72], want[48, 24], want[48, 72]], atol=4)


def test_progressive_jpeg_opens() -> None:
    """A JPEG in several scans is not taken for one that was cut off."""
    assert shows_quarters(load_bytes(encoded(quarters(), "JPEG", progressive=True), "a.jpg"), 25)


def test_bytes_of_another_file_in_the_middle_of_a_jpeg_are_noticed() -> None:
    """Where something was written over a part of it, it is not read as whole."""
    rng = np.random.default_rng(4)
    whole = encoded(Image.fromarray(rng.integers(0, 255, (300, 400, 3), dtype=np.uint8)), "JPEG")
    other = encoded(quarters(64, 48), "JPEG")
    middle = len(whole) // 2
    with pytest.raises(PhotoError, match=r"^a\.jpg: .*damaged; copy it from the camera again$"):
        load_bytes(whole[:middle] + other[:512] + whole[middle + 512 :], "a.jpg")


@pytest.mark.parametrize("how", [{"restart_marker_blocks": 4}, {"optimize": True}, {"progressive": True, "quality": 1}])
def test_whatever_way_a_jpeg_is_coded_it_is_whole(how: dict[str, int]) -> None:
    """Marks to start anew, own tables, tables of ones and several passes are no damage."""
    noise = Image.fromarray(np.random.default_rng(6).integers(0, 255, (300, 400, 3), dtype=np.uint8))
    assert load_bytes(encoded(noise, "JPEG", **how), "a.jpg").shape == (300, 400, 3)


def test_what_a_phone_hangs_behind_a_jpeg_does_no_harm() -> None:
    """A moving picture stored behind the photo is passed over, whatever its bytes are."""
    tail = b"\x00\x00\x00\x18ftypmp42" + b"\xff\xda\x12\x34" * 500
    assert shows_quarters(load_bytes(encoded(quarters(), "JPEG") + tail, "a.jpg"), 25)


def test_large_photo_keeps_all_its_pixels(tmp_path: Path) -> None:
    """A photo of 12 megapixels comes out in its own size, for its own pixels are what is answered in."""
    path = tmp_path / "large.jpg"
    quarters(4032, 3024).save(path)
    assert load_photo(path).shape == (3024, 4032, 3)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_cut_off_file_is_refused_by_name(kind: str, share: float) -> None:
    """Half a file is no photo: the error names it and the mend, and nothing is filled up with grey."""
    noise = np.random.default_rng(1).integers(0, 255, (80, 80, 3), dtype=np.uint8)
    data = encoded(Image.fromarray(noise), kind)
    with pytest.raises(PhotoError, match=r"^half\.jpg: .*copy it from the camera again$"):
        load_bytes(data[: int(share * len(data))], "half.jpg")


def test_cut_off_behind_the_small_preview_is_noticed() -> None:
    """The end of the preview inside the headers is not taken for the end of the photo."""
    preview = encoded(quarters(32, 24), "JPEG")
    whole = encoded(Image.fromarray(np.random.default_rng(2).integers(0, 255, (80, 80, 3), dtype=np.uint8)), "JPEG")
    with_preview = whole[:2] + b"\xff\xe1" + (len(preview) + 2).to_bytes(2, "big") + preview + whole[2:]
    assert load_bytes(with_preview, "a.jpg").shape == (80, 80, 3)
    with pytest.raises(PhotoError, match="cut off"):
        load_bytes(with_preview[: len(with_preview) - 900], "a.jpg")


def test_decompression_bomb_is_refused_before_it_is_decoded() -> None:
    """A small file that says it holds a huge picture is refused by its header."""
    header = encoded(Image.new("1", (8, 8)), "PNG")
    huge = bytearray(header)
    huge[16:24] = (60000).to_bytes(4, "big") + (60000).to_bytes(4, "big")
    crc = zlib.crc32(bytes(huge[12:29]))
    huge[29:33] = crc.to_bytes(4, "big")
    with pytest.raises(PhotoError, match=r"^bomb\.png: 60000 x 60000 pixels are too many; scale it"):
        load_bytes(bytes(huge), "bomb.png")


def test_a_program_is_no_picture() -> None:
    """PostScript is not handed to an interpreter."""
    with pytest.raises(PhotoError, match=r"^a: not a picture"):
        load_bytes(encoded(quarters(), "EPS"), "a")


def test_what_takes_more_memory_has_a_lower_limit() -> None:
    """As many pixels as the largest phones save as JPEG are refused as PNG or deep TIFF, before they are decoded."""
    bomb = bytearray(encoded(Image.new("RGBA", (8, 8)), "PNG"))
    bomb[16:24] = (14_000).to_bytes(4, "big") * 2
    bomb[29:33] = zlib.crc32(bytes(bomb[12:29])).to_bytes(4, "big")
    deep = cv2.imencode(".tiff", np.zeros((8, 8, 3), np.uint16))[1].tobytes()
    for tag in (256, 257):
        entry = struct.pack("<HHIH", tag, 3, 1, 8)
        assert entry in deep
        deep = deep.replace(entry, struct.pack("<HHIH", tag, 3, 1, 14_000))
    for data in (bytes(bomb), deep):
        with pytest.raises(PhotoError, match=r"^bomb: 14000 x 14000 pixels are too many; scale it to 120 megapixels"):
            load_bytes(data, "bomb")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_strips_join_to_the_whole_upright_picture(orientation: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that is brought to 8 bit in strips is the one that Pillow makes at once, turned the same way."""
    monkeypatch.setattr("vision.sources.photos.STRIP_PX", 300)
    picture = Image.fromarray(np.random.default_rng(3).integers(0, 255, (41, 60, 4), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x112] = orientation
    ground = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    ground.getexif()[0x112] = orientation
    want = np.asarray(ImageOps.exif_transpose(ground).convert("RGB"))
    np.testing.assert_array_equal(load_bytes(encoded(picture, "PNG", exif=exif), "a"), want)


@pytest.mark.parametrize(
    "data", [b"hello, this is a text", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"II*\x00junk", b"\x00" * 64]
)
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    """Anything else gets one line that names the file."""
    with pytest.raises(PhotoError, match=r"^notes\.txt: ") as raised:
        load_bytes(data, "notes.txt")
    assert "\n" not in str(raised.value)


def test_empty_missing_and_folder_are_told_apart(tmp_path: Path) -> None:
    """Each way in which a path can be wrong has its own mend."""
    empty = tmp_path / "empty.jpg"
    empty.touch()
    with pytest.raises(PhotoError, match=r"empty\.jpg: the file is empty"):
        load_photo(empty)
    with pytest.raises(PhotoError, match=r"none\.jpg: there is no such file"):
        load_photo(tmp_path / "none.jpg")
    with pytest.raises(PhotoError, match="this is a folder; name the photos in it"):
        load_photo(tmp_path)


def test_recording_is_pointed_to_watch(tmp_path: Path) -> None:
    """Who gives a video as a photo is told the command for recordings."""
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + b"\x00" * 100)
    with pytest.raises(PhotoError, match="referee watch GAME --source"):
        load_photo(clip)


def test_webp_and_gif_in_motion_give_their_first_picture() -> None:
    """Of a moving picture the first one counts."""
    second = Image.new("RGB", (96, 64), "black")
    data = encoded(quarters(), "GIF", save_all=True, append_images=[second])
    assert shows_quarters(load_bytes(data, "a.gif"), 40)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_has_no_end_is_no_photo(tmp_path: Path) -> None:
    """It is there, and nobody waits for it."""
    os.mkfifo(tmp_path / "pipe.jpg")
    for path in (tmp_path / "pipe.jpg", Path(os.devnull)):
        with pytest.raises(PhotoError, match="is a device or a pipe"):
            load_photo(path)
