"""Pictures can be read: years under bars, words that cover no dot, arrows, a legend, a file."""

import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from graphrag import InputError, MissingExtraError, Stats
from graphrag.display.chart import Axis, bar
from graphrag.display.picture import type_colours
from tests.conftest import day

NOW = day("2026-01-01")
SVG = "{http://www.w3.org/2000/svg}"


def years(*moments, now=NOW):
    axis = Axis.around([day(f"{moment}-01-01") for moment in moments], now=now)
    return axis.start.year, axis.end.year, [name for _, name in axis.ticks()]


def test_one_fact_of_1898_does_not_squeeze_the_others():
    axis = Axis.around([day(f"{year}-01-01") for year in (1898, 2012, 2015, 2019)], now=NOW)
    assert axis.start == day("2012-01-01") and axis.at(day("2019-01-01")) > 100
    drawn = bar(axis, day("1898-01-01"), None, colour="red", title="old")
    assert "<path" in drawn  # it points out of the axis
    assert "<path" not in bar(axis, day("2012-01-01"), None, colour="red", title="new")
    ahead = Axis.around([day(f"{year}-01-01") for year in (2012, 2015, 2019, 2999)], now=NOW)
    assert ahead.end < day("2030-01-01")
    assert "<path" in bar(ahead, day("2012-01-01"), day("2999-01-01"), colour="red", title="far")


def test_an_axis_holds_what_belongs_together():
    assert years(1898, 2019)[0] == 1898  # two facts are no majority
    assert years(1850, 1870, 1898, 1920, 1950)[0] == 1850
    assert years(1898, 1898, 1899, 2019, 2020, 2021)[0] == 1898
    assert Axis.around([], now=NOW).ticks() is not None


@pytest.mark.parametrize(
    ("moments", "names"),
    [
        ((2012, 2019), ["2015", "2020", "2025"]),
        ((1700, 1900), ["1700", "1800", "1900", "2000"]),
        ((2021, 2022), ["2021", "2022", "2023", "2024", "2025", "2026"]),
    ],
)
def test_the_axis_has_round_years(moments, names):
    assert years(*moments)[2] == names


def test_a_short_axis_has_months():
    axis = Axis.around([NOW - timedelta(days=90)], now=NOW)
    names = [name for _, name in axis.ticks()]
    assert names == ["2025-11", "2025-12", "2026-01"]
    assert all(name in axis.ruler() for name in names)


@pytest.fixture
async def town(graph):
    for number in range(15):
        person, firm = f"Person Number {number}", f"Firm {number % 3}"
        await graph.add_fact(person, "works_at", firm, subject_type="person", valid_at="2015")
        await graph.add_fact(person, "knows", f"Person Number {(number + 4) % 15}", valid_at="2016")
    await graph.add_fact("Firm 0", "based_in", "Oslo", object_type="place", valid_at="1898")
    await graph.communities.build()
    return graph


def dots_and_words(svg, most=12.5):
    picture = ElementTree.fromstring(svg)
    dots = [
        (float(one.get("cx")), float(one.get("cy")), float(one.get("r")))
        for one in picture.iter(f"{SVG}circle")
        if float(one.get("r")) <= most
    ]
    words = [
        (float(one.get("x")), float(one.get("y")), float(one.get("font-size")), one.text)
        for one in picture.iter(f"{SVG}text")
        if one.get("text-anchor") == "middle"
    ]
    return dots, words


def covers(word, dot):
    (x, y, size, text), (cx, cy, radius) = word, dot
    half = len(text) * size * 0.29
    right, down = max(abs(cx - x) - half, 0), max(y - size - cy, cy - y - size * 0.25, 0)
    return right < radius - 1 and down < radius - 1


async def test_words_cover_no_dot(town):
    for picture in (await town.communities.map(), await town.subgraph()):
        dots, words = dots_and_words(picture.to_svg())
        assert len(dots) > 10 and len(words) > 10
        assert not [(word, dot) for word in words for dot in dots if covers(word, dot)]


async def test_a_drawn_part_says_what_leads_where_and_what_colours_mean(town):
    svg = (await town.subgraph("Oslo", depth=1)).to_svg()
    picture = ElementTree.fromstring(svg)
    texts = {one.text for one in picture.iter(f"{SVG}text")}
    assert {"Firm 0", "Oslo", "based in", "place", "thing"} <= texts
    [line] = picture.iter(f"{SVG}line")
    dots, _ = dots_and_words(svg)
    ends = {"start": ("x1", "y1"), "end": ("x2", "y2")}
    [side] = [side for side in ends if line.get(f"marker-{side}")]
    x, y = (float(line.get(name)) for name in ends[side])
    oslo = next(word for word in dots_and_words(svg)[1] if word[3] == "Oslo")
    near = min(dots, key=lambda dot: abs(dot[0] - x) + abs(dot[1] - y))
    assert near == min(dots, key=lambda dot: abs(dot[0] - oslo[0]) + abs(dot[1] - oslo[1]))
    fills = {one.get("fill") for one in picture.iter(f"{SVG}circle")}
    assert len(fills) == 2 and fills <= {one.get("fill") for one in picture.iter(f"{SVG}rect")}


async def test_pictures_are_saved(town, tmp_path):
    timeline = await town.timeline("Firm 0")
    for name, picture in (
        ("part.svg", await town.subgraph()),
        ("map.svg", await town.communities.map()),
        ("life.SVG", timeline),
    ):
        path = picture.save(tmp_path / name)
        assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"
        with pytest.raises(InputError, match=r"end its name in \.svg or \.png"):
            picture.save(tmp_path / "part.gif")
        with pytest.raises(InputError, match="cannot write"):
            picture.save(tmp_path / "missing" / "part.svg")
    assert "Firm 0 based in Oslo, since 1898-01-01" in (tmp_path / "life.SVG").read_text()
    assert (await town.at(valid_at="1800").subgraph()).save(tmp_path / "empty.svg").exists()


def texts(picture, **theme):
    return {one.text for one in ElementTree.fromstring(picture.to_svg(**theme)).iter(f"{SVG}text")}


def test_years_at_the_edge_of_a_ruler_stand_on_no_others():
    axis = Axis(day("2021-12-01"), day("2027-01-03"))
    ruler = ElementTree.fromstring(axis.ruler())
    places = [float(one.get("x")) for one in ruler.iter("text")]
    assert len(places) > 3
    assert all(right - left > 30 for left, right in pairwise(places))


def test_a_lifetime_of_a_day_is_seen_at_the_edge_of_its_axis():
    axis = Axis(day("2020-01-01"), day("2024-01-01"))
    drawn = ElementTree.fromstring(
        bar(axis, day("2024-01-01"), day("2024-01-02"), colour="red", title="late")
    )
    [shown] = [one for one in drawn.iter("rect") if one.get("fill") == "red"]
    assert float(shown.get("x")) + float(shown.get("width")) <= axis.width


async def test_a_timeline_is_drawn_over_years_with_its_moment_and_what_colours_mean(town):
    life = await town.timeline("Person Number 3")
    words = texts(life)
    assert {"2020", "2025", "holds", "Person Number 3 (person)"} <= words
    assert "Person Number 3 works at Firm 0, since 2015-01-01" in words
    assert "stroke-dasharray" in life.to_svg()


async def test_a_path_is_drawn_with_what_joins_its_entities_and_when(town):
    path = await town.path("Person Number 3", "Oslo")
    assert len(path) == 2
    words = texts(path)
    assert {"Person Number 3", "Firm 0", "Oslo", "works at", "based in"} <= words
    assert {"since 2015-01-01", "since 1898-01-01", "person", "place"} <= words
    assert "M" in path._repr_html_() and path.to_svg().count("marker-end") == 2


async def test_counts_and_growth_are_tables(town):
    page = (await town.stats())._repr_html_()
    assert 'facts now</td><td style="text-align:left">31<' in page
    assert "relation: works at" in page and "type: person" in page and ">15<" in page
    growth = await town.audit.growth("day")
    assert growth._repr_html_().count("<tr>") == 1 + len(growth)


def test_counts_say_how_many_are_not_shown_and_days_as_days():
    moment = datetime(2024, 3, 1, 12, 30, tzinfo=UTC)
    relations = {f"relation_{number}": 20 - number for number in range(17)}
    counts = (3, 2, 100, 90, 10, 0, 0, 5)
    page = Stats("default", *counts, moment, moment, relations, {"person": 2})._repr_html_()
    assert ">relation: 3 others<" in page and ">15<" in page and "type: 1" not in page
    assert ">2024-03-01<" in page and "12:30" not in page


def test_a_type_has_the_same_colour_in_every_picture():
    one, other = type_colours(["person", "boat", "boat"]), type_colours(["place", "person"])
    assert one["person"] == other["person"]
    assert len(set(one.values())) == 2


async def test_a_picture_takes_the_ink_of_its_page_and_has_paper_in_a_file(town):
    picture = await town.subgraph("Oslo", depth=1)
    page, dark = picture.to_svg(), picture.to_svg(theme="dark")
    assert 'fill="currentColor"' in page and "#ffffff" not in page and "#15191e" not in page
    assert "#15191e" in dark and "#ffffff" not in dark
    assert "#ffffff" in picture.to_svg(theme="light")


async def test_pictures_are_saved_as_png(town, tmp_path, monkeypatch):
    picture = await town.subgraph("Oslo", depth=1)
    light = picture.save(tmp_path / "part.png").read_bytes()
    dark = picture.save(tmp_path / "part.PNG", theme="dark").read_bytes()
    assert light.startswith(b"\x89PNG") and dark.startswith(b"\x89PNG") and light != dark
    with pytest.raises(InputError, match="choose from light, dark"):
        picture.save(tmp_path / "part.svg", theme="blue")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'surreal-graphrag\[notebook\]'"):
        picture.save(tmp_path / "part.png")
    assert picture.save(tmp_path / "part.svg").exists()


async def test_a_png_without_letters_is_refused(town, tmp_path, monkeypatch):
    import resvg_py

    fontless = partial(resvg_py.svg_to_bytes, skip_system_fonts=True)
    monkeypatch.setattr(resvg_py, "svg_to_bytes", fontless)
    with pytest.raises(InputError, match="no font"):
        (await town.subgraph()).save(tmp_path / "part.png")
