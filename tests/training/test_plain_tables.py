"""What the network is trained on: plain cards, boards and lines are drawn as they should be; a made network is read."""

from __future__ import annotations

import colorsys
from pathlib import Path

import numpy as np
import pytest
from shapely.geometry import Polygon

from tests.render.scene import OTHER, TABLE, Table, look_at
from tests.training.outline_data import face_pool, picture
from tests.training.plain_tables import attached, lay_board, lay_tape, palette, plain_face, tinted
from vision.cards.outlines import STRIDE

NETWORK = Path(__file__).parents[2] / "vision" / "models" / "outlines.onnx"
SEEDS = range(6)


def empty_table(seed: int = 0) -> Table:
    """A grey table, half a metre wide."""
    view = look_at((288, 288), 50, 500, 12, 30)
    return Table.start(np.random.default_rng(seed), view, np.full((288, 288, 3), 0.5, np.float32), warp_surface=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_grounds_differ_in_hue(seed: int) -> None:
    """Four colours, none of which another's shadow could be."""
    hues = [colorsys.rgb_to_hsv(*map(float, c))[0] for c in palette(np.random.default_rng(seed))]
    assert len(hues) == 4
    apart = [min(abs(a - b), 1 - abs(a - b)) for i, a in enumerate(hues) for b in hues[i + 1 :]]
    assert min(apart) > 0.04


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plain_face_is_mostly_its_ground(seed: int) -> None:
    """More than half of it is one colour of the palette, and something is printed on it."""
    rng = np.random.default_rng(seed)
    colours = palette(rng)
    face = plain_face(rng, 1.5, colours)
    assert face.dtype == np.uint8
    assert face.shape[0] == round(face.shape[1] * 1.5)
    shares = [(np.abs(face - 255 * c).max(2) < 3).mean() for c in colours]
    assert 0.5 < max(shares) < 0.995


def rectangle(x: float, y: float, angle: float, w: float, h: float) -> Polygon:
    c, s = np.cos(angle), np.sin(angle)
    local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    return Polygon(local @ np.array([[c, s], [-s, c]]) + [x, y])


@pytest.mark.parametrize("seed", SEEDS)
def test_laid_cards_hold_on_to_each_other(seed: int) -> None:
    """Each lies with a corner on the board or on a card before it, and most of a card is beside what it lies on."""
    poses = attached(np.random.default_rng(seed), 60, 90, 115, 10)
    assert len(poses) == 10
    turn = np.random.default_rng(seed).uniform(0, 2 * np.pi)  # the board's, drawn first
    below, most = [rectangle(0, 0, turn, 115, 115)], []
    for pose in poses:
        card = rectangle(*pose, 60, 90)
        shares = [card.intersection(other).area / card.area for other in below]
        assert max(shares) > 0
        most.append(max(shares))
        below.append(card)
    assert np.median(most) < 0.4


@pytest.mark.parametrize("seed", SEEDS)
def test_board_and_lines_are_no_cards(seed: int) -> None:
    """What is drawn belongs to nothing that the network should find, in the middle and around."""
    rng = np.random.default_rng(seed)
    table = empty_table(seed)
    lay_board(rng, table, 110, palette(rng))
    middle = table.to_canvas(table.view.ideal([[0.0, 0.0]]))[0].astype(int)
    assert table.owner[middle[1], middle[0]] == OTHER
    board = float((table.owner == OTHER).mean())
    lay_tape(rng, table, 400)
    assert (table.owner == OTHER).mean() > board
    assert set(np.unique(table.owner)) == {OTHER, TABLE}
    assert len(np.unique(np.round(table.rgb[table.owner == OTHER], 2), axis=0)) > 6


def test_a_tinted_table_keeps_its_grain() -> None:
    """Its mean is near the wanted colour; where the wood was dark it is darker."""
    rng = np.random.default_rng(2)
    wood = np.clip(0.5 + 0.15 * rng.standard_normal((64, 64, 1)), 0.1, 0.9).astype(np.float32) * np.ones(3, np.float32)
    near = np.array([0.7, 0.3, 0.2], np.float32)
    out = tinted(rng, wood, near)
    assert out.dtype == np.float32
    assert 0 <= out.min() <= out.max() <= 1
    assert np.abs(out.mean((0, 1)) - near).max() < 0.3
    assert np.corrcoef(out[..., 0].ravel(), wood[..., 0].ravel())[0, 1] > 0.8


def test_a_training_picture_and_what_it_shows() -> None:
    """Picture and target fit each other: cells of cards have a size and a weight; others have nothing."""
    faces = face_pool(np.random.default_rng(0), 40)
    cards = 0
    for seed in range(6):
        rgb, target = picture(np.random.default_rng(seed), faces, 160)
        assert rgb.shape == (160, 160, 3)
        assert target.shape == (11, 160 // STRIDE, 160 // STRIDE)
        here = target[0] > 0
        assert (target[9][here] > 0).all()
        assert (target[10][here] > 0).all()
        assert not target[2:, ~here].any()
        cards += int(here.any())
    assert cards >= 3


def test_a_made_network_is_read_back() -> None:
    """The weights of the network that the eye uses, read into the one that is trained, give the same answers."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    import onnxruntime

    from tests.training.outline_net import CHANNELS, OutlineNet, load_exported

    net = OutlineNet().eval()
    load_exported(net, NETWORK)
    x = np.random.default_rng(0).random((1, 3, 96, 64), np.float32)
    with torch.no_grad():
        mine = net(torch.from_numpy(x)).numpy()
    session = onnxruntime.InferenceSession(str(NETWORK), providers=["CPUExecutionProvider"])
    (made,) = session.run(None, {session.get_inputs()[0].name: x})[:1]
    assert mine.shape == (1, CHANNELS, 24, 16)
    assert np.abs(mine).max() > 0.5
    np.testing.assert_allclose(mine, made, atol=1e-4 * float(np.abs(made).max()))


def test_a_network_of_another_shape_is_refused(tmp_path: Path) -> None:
    """Fewer convolutions than the one that is trained: the file is named."""
    pytest.importorskip("torch")
    onnx = pytest.importorskip("onnx")

    from tests.training.outline_net import OutlineNet, load_exported

    model = onnx.load(str(NETWORK))
    last = [n for n in model.graph.node if n.op_type == "Conv"][-1]
    model.graph.node.remove(last)
    path = tmp_path / "other.onnx"
    onnx.save(model, str(path))
    with pytest.raises(ValueError, match=r"other\.onnx"):
        load_exported(OutlineNet(), path)
