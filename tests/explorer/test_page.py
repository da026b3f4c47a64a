"""The explorer in a real browser: what people see and do. See conftest.py for the browser."""

import sys
import time
from itertools import combinations, product

import pytest

from tests.explorer.conftest import CHROMIUM, DRIVER, OWNER, READER, STRANGER

if CHROMIUM is None or DRIVER is None:
    pytest.skip("no Chromium for the explorer's tests", allow_module_level=True)

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

CAREERS = (
    ("Alice works_at Acme from 2018-01-01.", "2018-02-01"),
    ("Alice works_at Globex from 2022-06-01. Bob knows Alice.", "2022-07-01"),
    ("Carol leads Acme from 2017-01-01. Bob lives_in Paris from 2019-01-01.", "2019-02-01"),
)
ANNS, BOBS = "Ann Abe Ada Alf Amy".split(), "Bob Bea Ben Bo Bud".split()
MERGED = (
    ("knows", [*combinations(ANNS, 2)], "2018-01-01"),
    ("knows", [*combinations(BOBS, 2)], "2018-01-01"),
    ("helps", [*product(ANNS, BOBS)], "2021-01-01", "2024-01-01"),
    ("meets", [*product(ANNS, BOBS)], "2021-01-01", "2024-01-01"),
)
"""Two circles, which are one for three years."""
HARMLESS = "rendering"
"""What a browser without a graphics card says of its drawing."""


class Page:
    """The page of one group."""

    def __init__(self, browser, served, group):
        self.browser, self.served, self.group = browser, served, group

    def give(self, *episodes):
        """Tell the group some episodes."""

        async def work():
            graph = self.served.graph.group(self.group)
            for text, date in episodes:
                await graph.add_episode(text, reference_time=date, name="a letter")

        self.served.run(work())
        return self

    def gather(self, *circles):
        """Tell the group who knew each other since when, or from when to when."""
        rows = [
            {"subject": one, "relation": relation, "object": other, **dates}
            for relation, pairs, *lifetime in circles
            for dates in [dict(zip(("valid_at", "invalid_at"), lifetime, strict=False))]
            for one, other in pairs
        ]
        self.served.run(self.served.graph.group(self.group).load.facts(rows))
        return self

    def blocks(self, label):
        """Return what the communities of a slice are called in the flow."""
        said = "return [...document.querySelectorAll('#flow .block')].map((one) => one.ariaLabel)"
        return [one for one in self.js(said) if f", {label}" in one]

    def pressed(self):
        """Return the slices of the communities that are chosen in the flow."""
        chosen = "#flow .block[aria-pressed=true]"
        return [one.get_attribute("aria-label").split(", ")[-1][:4] for one in self.all(chosen)]

    def focused(self):
        return self.js("return document.activeElement.ariaLabel") or ""

    def lit(self):
        return {*self.js("return [...app.scene.hits ?? []].map((row) => app.model.names[row])")}

    def facts(self, entity, **view):
        graph = self.served.graph.group(self.group)
        return [f"{one}" for one in self.served.run(self._facts(graph.at(**view), entity))]

    async def _facts(self, view, entity):
        return [f"{one.subject} {one.relation} {one.object}" for one in await view.facts(entity)]

    def open(self, fragment="", door="open", url=None):
        self.browser.get("about:blank")
        self.browser.get((url or self.served.page(self.group, door)) + fragment)
        return self

    def ready(self, times=1):
        self.until(lambda: int(self.js("return document.body.dataset.ready ?? 0") or 0) >= times)
        return self

    def js(self, script, *given):
        return self.browser.execute_script(script, *given)

    def until(self, holds, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if found := holds():
                    return found
            except StaleElementReferenceException:
                pass
            time.sleep(0.03)
        raise AssertionError(f"never held: {self.text('body')[:600]}")

    def shows(self, selector, *words):
        return self.until(lambda: all(word in self.text(selector) for word in words))

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return "\n".join(one.text for one in self.all(selector))

    def keys(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def button(self, label, within="body"):
        """Press the button that is called so, once it is there."""
        path = f".//button[starts-with(normalize-space(.), {label!r})]"

        def pressed():
            box = self.browser.find_element(By.CSS_SELECTOR, within)
            some = [one for one in box.find_elements(By.XPATH, path) if one.is_displayed()]
            if some:
                some[0].click()
            return bool(some)

        self.until(pressed)

    def press(self, selector):
        """Press the first of these, once there is one."""

        def pressed():
            some = self.all(selector)
            if some:
                some[0].click()
            return bool(some)

        self.until(pressed)

    def click(self, name):
        """Click where an entity is drawn."""
        x, y = self.js(
            """const row = String(app.model.names.indexOf(arguments[0])), {renderer} = app.scene;
            const at = renderer.graphToViewport(renderer.getGraph().getNodeAttributes(row));
            const box = app.scene.stage.getBoundingClientRect();
            return [Math.round(box.left + at.x), Math.round(box.top + at.y)];""",
            name,
        )
        actions = ActionChains(self.browser)
        actions.w3c_actions.pointer_action.move_to_location(x, y)
        actions.pause(0.05).click().perform()

    def holding(self):
        return int(self.text("#holding").split()[0])


@pytest.fixture
def page(browser, served, request):
    shown = Page(browser, served, request.node.name.removeprefix("test_")[:60])
    yield shown
    bad = [one for one in browser.get_log("browser") if one["source"] != HARMLESS]
    refused = ("status of 401", "status of 403")  # the browser says so itself
    assert [one for one in bad if not any(one["message"].count(word) for word in refused)] == []


def test_a_search_lights_its_hits_and_opens_the_first(page):
    page.give(*CAREERS).open().ready()
    page.keys("/", "ali")
    page.shows("#hits", "Alice", "person")
    assert page.js("return [...app.scene.hits].map((row) => app.model.names[row])") == ["Alice"]
    page.shows("#hits", "facts", "Bob knows Alice")  # what the server finds, a moment later
    page.keys(Keys.ENTER)
    page.shows("#panel", "Alice", "Holds on", "works at Globex", "Past", "works at Acme")
    page.keys(Keys.ESCAPE)
    assert page.text("#panel") == ""


def test_a_clicked_entity_tells_its_facts_with_the_words_that_state_them(page):
    page.give(*CAREERS).open().ready()
    page.click("Alice")
    page.shows("#panel", "since 2022-06-01", "2018-01-01 to 2022-06-01")
    page.press("#panel .past .say")
    page.shows("#panel blockquote", "Alice works_at Acme from 2018-01-01.")
    page.shows("#panel .cite", "a letter, 2018-02-01")


def test_the_slider_shows_what_held_and_play_moves_it(page):
    page.give(*CAREERS).open().ready()
    assert page.holding() == 4
    page.js("app.time.seek(Date.parse('2020-01-01') / 1000)")
    assert (page.text("#date"), page.holding()) == ("2020-01-01", 3)
    page.keys(Keys.ARROW_LEFT)
    assert page.until(lambda: page.text("#date")) < "2020-01-01"
    page.keys(Keys.HOME)
    assert page.until(lambda: page.holding() == 0 or None)
    page.keys(" ")
    page.until(lambda: page.holding() > 0)
    page.keys(" ")
    stopped = page.text("#date")
    page.js("document.getElementById('always').click()")
    assert (page.text("#date"), page.holding()) == ("all times", 5)
    assert stopped < "2026"


def test_as_known_shows_what_was_known_then(page):
    page.give(CAREERS[0])
    then = page.served.run(page.served.graph.group(page.group).log.events())[-1].at
    page.give(*CAREERS[1:]).open(f"#k={then.isoformat().replace('+00:00', 'Z')}").ready()
    assert page.text("#counts") == "2 entities, 1 fact"
    page.js("document.getElementById('as_known').click()")
    page.ready(2)
    assert page.text("#counts") == "6 entities, 5 facts"


def test_a_path_between_two_that_are_picked(page):
    page.give(*CAREERS).open("#t=2020-01-01").ready()
    page.keys("p")
    page.click("Alice")
    page.shows("#notice", "From Alice to")
    page.click("Carol")
    page.shows("#panel", "2 facts", "Alice works at Acme", "Carol leads Acme")
    page.keys(Keys.END)  # she works elsewhere now
    page.shows("#panel", "No chain of facts")
    page.until(lambda: "path=" in page.js("return location.hash"))


def test_types_can_be_hidden(page):
    page.give(*CAREERS).open().ready()
    page.button("place", "#legend")
    assert page.holding() == 3
    page.button("place", "#legend")
    assert page.holding() == 4


def test_an_address_leads_to_an_entity_at_a_time(page):
    page.give(*CAREERS).open().ready()
    page.click("Alice")
    page.js("app.time.seek(Date.parse('2020-01-01') / 1000)")
    page.until(lambda: "t=2020-01-01" in page.js("return location.hash"))
    page.open(page.js("return location.hash")).ready()
    page.shows("#panel", "Holds on 2020-01-01", "works at Acme", "To come", "works at Globex")


def test_an_address_with_odd_dates_leads_to_now_and_says_so(page):
    page.give(*CAREERS).open("#t=garbage&k=yesterday").ready()
    page.shows("#notice", "garbage and yesterday", "no date")
    page.click("Alice")
    page.shows("#panel", "works at Globex")


def test_the_flow_of_communities_is_asked_for_when_it_is_opened(page):
    page.gather(*MERGED).open().ready()
    asked = """return performance.getEntriesByType('resource')
        .filter((one) => one.name.endsWith('/communities_over_time')).length"""
    assert page.js(asked) == 0
    page.button("Flow")
    page.until(lambda: page.blocks("2019"))
    assert [one.split(": ")[-1] for one in page.blocks("2019")] == ["5 members", "5 members"]
    assert [one.split(": ")[-1] for one in page.blocks("2022")] == ["10 members"]
    assert page.js("return document.querySelectorAll('#flow .band').length") >= 4
    page.shows("#flow .happened", "2021-01-01", "merged into", "2024-01-01", "split into")
    page.button("Flow")
    assert not page.all("#flow")[0].is_displayed()
    page.button("Flow")
    page.until(lambda: page.blocks("2019"))
    assert page.js(asked) == 1


def test_a_community_in_a_slice_sets_the_slider_and_selects_its_members(page):
    page.gather(*MERGED).open().ready()
    page.button("Flow")
    page.press("#flow .block[aria-label*='2022']")
    page.until(lambda: page.text("#date") == "2022-12-31")
    page.shows("#panel", "10 members, 2022", "Ann", "Bob")
    assert page.lit() == {*ANNS, *BOBS}
    assert page.text("#flow .here") == "2022"
    assert page.pressed() == ["2022"]
    page.press("#flow .happened .split")
    page.until(lambda: page.text("#date") == "2024-12-31")
    assert len(page.lit()) == 5
    page.press("#panel .fact .say")
    page.shows("#panel", "Holds on 2024-12-31")
    assert (page.lit(), page.pressed()) == (set(), [])


def test_the_flow_is_reached_by_keys(page):
    page.gather(*MERGED).open().ready()
    page.keys("c")
    page.until(lambda: "2018" in page.focused())
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.until(lambda: ", 2021: 10" in page.focused())
    page.keys(Keys.ENTER)
    page.until(lambda: page.text("#date") == "2021-12-31")
    page.keys(Keys.ARROW_LEFT)
    above = page.until(lambda: ", 2020: 5" in page.focused() and page.focused())
    page.keys(Keys.ARROW_UP, Keys.ARROW_DOWN, " ")
    page.until(lambda: page.text("#date") == "2020-12-31")
    assert ", 2020: 5" in page.focused()
    assert len(page.lit()) == 5 and above
    page.js("document.querySelector('#flow select').focus()")
    page.keys("q")  # as a list of choices does: quarter
    page.until(lambda: any("2018-04" in one for one in page.blocks("")))
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.all("#flow")[0].is_displayed())
    assert page.js("return document.activeElement.id") == "through"
    assert page.lit() == set()


def test_the_flow_is_of_what_was_known_then(page):
    page.gather(*MERGED[:2])
    then = page.served.run(page.served.graph.group(page.group).log.events())[-1].at
    page.gather(*MERGED[2:]).open(f"#k={then.isoformat().replace('+00:00', 'Z')}").ready()
    page.keys("c")
    page.until(lambda: len(page.blocks("2022")) == 2)
    page.js("document.getElementById('as_known').click()")
    page.ready(2)
    page.until(lambda: any("10 members" in one for one in page.blocks("2022")))


def test_without_the_extra_the_flow_says_what_to_install(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "leidenalg", None)
    page.gather(*MERGED).open().ready()
    page.keys("c")
    page.shows("#flow .error", "pip install 'surreal-graphrag[temporal]'")
    [said] = page.browser.get_log("browser")  # of the browser itself, as for 401
    assert "status of 501" in said["message"]


def test_dark_and_light(page):
    page.give(*CAREERS).open().ready()
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = page.js(ground)
    page.keys("d")
    assert page.js(ground) != before
    page.open().ready()
    assert page.js(ground) != before  # it is remembered
    page.keys("d")
    assert page.js(ground) == before


def test_help_lists_the_keys(page):
    page.give(*CAREERS).open().ready()
    page.keys("?")
    page.shows("#sheet", "Keys", "as far", "In review")
    page.keys(Keys.ESCAPE)
    page.until(lambda: not page.js("return document.getElementById('sheet').open"))


def test_two_that_are_one_are_merged_by_keys_and_taken_apart_again(page):
    page.give(
        ("Jonathan Smith works_at Acme from 2020-01-01.", "2020-02-01"),
        ("Jonathon Smith lives_in Paris from 2021-01-01.", "2021-02-01"),
    )
    page.open().ready()
    page.keys("r")
    page.shows("#sheet", "Are these one?", "Jonathan Smith", "Jonathon Smith", "kept", "1 left")
    page.shows("#sheet blockquote", "works_at Acme", "lives_in Paris")
    page.keys("a")
    page.until(lambda: page.js("return document.activeElement.value ?? ''").startswith("same:"))
    page.keys("one man", Keys.ENTER)
    page.shows("#toast", "Merged")
    page.shows("#sheet", "Done: 1 decision")
    assert len(page.facts("Jonathan Smith")) == 2
    event = page.served.run(page.served.graph.group(page.group).log.events())[-1]
    assert (event.kind, event.actor, event.note) == ("merge", "local", "one man")
    page.button("Undo", "#toast")
    page.shows("#toast", "Undone: merge")
    assert page.facts("Jonathan Smith") == ["Jonathan Smith works_at Acme"]


def test_a_queue_is_worked_off_by_keys_and_the_last_decision_taken_back(page):
    page.give(
        *((f"Jonathan {name} likes tea.", "2020-02-01") for name in ("Smithson", "Baxterly")),
        *((f"Jonathon {name} likes jazz.", "2021-02-01") for name in ("Smithson", "Baxterly")),
    )
    page.open().ready()
    page.keys("r")
    page.shows("#sheet", "2 left")
    page.keys("a", Keys.ENTER, "a", Keys.ENTER)
    page.shows("#sheet", "Done: 2 decisions")
    page.shows("#toast", "Merged")
    page.until(lambda: len(kinds(page, "merge")) == 2)
    page.button("Undo", "#toast")
    page.shows("#toast", "Undone: merge")
    page.keys(Keys.ESCAPE, "r")
    page.shows("#sheet", "1 left")
    page.keys("a", Keys.ENTER)
    page.until(lambda: len(kinds(page, "merge")) == 3)
    page.shows("#toast", "Merged")
    assert len(kinds(page, "revert")) == 1


def kinds(page, kind):
    events = page.served.run(page.served.graph.group(page.group).log.events())
    return [event for event in events if event.kind == kind]


def test_two_that_are_two_are_not_asked_about_again(page):
    page.give(
        ("Jonathan Smith works_at Acme from 2020-01-01.", "2020-02-01"),
        ("Jonathon Smith lives_in Paris from 2021-01-01.", "2021-02-01"),
    )
    page.open().ready()
    page.keys("r")
    page.shows("#sheet", "Are these one?")
    page.keys("r", Keys.ENTER)
    page.shows("#toast", "Kept apart")
    page.keys(Keys.ESCAPE, "r")
    page.shows("#sheet", "Nothing waits")


def test_a_fact_is_retracted_and_brought_back(page):
    page.give(*CAREERS).open().ready()
    page.click("Alice")
    page.press("#panel .holds .say")
    page.button("Never true", "#panel")
    page.until(lambda: page.js("return document.activeElement.tagName") == "INPUT")
    page.keys("a slip", Keys.ENTER)
    page.shows("#toast", "Retracted")
    page.shows("#panel", "Never true")
    page.button("Undo", "#toast")
    page.shows("#toast", "Undone: retract")
    page.until(lambda: "Never true\n" not in page.text("#panel"))
    page.until(lambda: page.all("#panel .holds"))
    page.js("document.querySelector('#panel .holds .say[aria-expanded=false]').click()")
    assert "Alice works_at Globex" in page.facts("Alice")
    page.keys("h")
    page.shows("#sheet", "History", "retract", "a slip", "revert", "local")


def test_a_fact_is_corrected(page):
    page.give(*CAREERS).open().ready()
    page.click("Alice")
    page.press("#panel .holds .say")
    page.button("Correct", "#panel")
    page.until(lambda: page.js("return document.activeElement.name") == "object")
    page.keys("Initech", Keys.TAB, "2022-05-01", Keys.TAB, Keys.TAB)  # what stood there is marked
    page.keys("misheard", Keys.ENTER)
    page.shows("#toast", "Corrected")
    page.shows("#panel", "works at Initech", "since 2022-05-01")
    assert "Alice works_at Initech" in page.facts("Alice")


def test_an_unsure_fact_is_confirmed(page):
    async def give():
        graph = page.served.graph.group(page.group)
        await graph.add_fact("Ann", "likes", "tea", confidence=0.1)

    page.give(*CAREERS).served.run(give())
    page.open().ready()
    page.keys("r")
    page.shows("#sheet", "Is this so?", "Ann likes tea", "0.10")
    page.keys("a", Keys.ENTER)
    page.shows("#toast", "Confirmed: Ann likes tea")
    assert page.facts("Ann") == ["Ann likes tea"]


def test_facts_are_split_off(page):
    page.give(*CAREERS).open().ready()
    page.click("Alice")
    page.shows("#panel", "works at Globex")
    page.button("Split", "#panel")
    page.js("document.querySelector('#panel .past input[type=checkbox]').click()")
    page.js("document.querySelector('#panel form input[name=name]').value = 'Alice Miller'")
    page.js("document.querySelector('#panel form input[name=reason]').focus()")
    page.keys("a namesake", Keys.ENTER)
    page.shows("#toast", "Split Alice Miller off Alice")
    assert page.facts("Alice Miller", history=True) == ["Alice Miller works_at Acme"]
    page.button("Undo", "#toast")
    page.shows("#toast", "Undone: split")


def test_an_entity_is_renamed(page):
    page.give(*CAREERS).open().ready()
    page.click("Alice")
    page.shows("#panel", "works at Globex")
    page.button("Rename", "#panel")
    page.until(lambda: page.js("return document.activeElement.name") == "name")
    page.keys("Alice Miller", Keys.TAB, "she married", Keys.ENTER)  # what stood there is marked
    page.shows("#toast", "Renamed Alice to Alice Miller")
    page.shows("#panel", "Alice Miller", "also Alice")
    [event] = kinds(page, "rename")
    assert (event.actor, event.note) == ("local", "she married")
    page.button("Undo", "#toast")
    page.shows("#toast", "Undone: rename")
    page.until(lambda: "Alice Miller" not in page.text("#panel"))


def test_what_a_text_says_is_never_markup(page):
    async def give():
        graph = page.served.graph.group(page.group)
        await graph.add_fact(
            "<img src=x onerror=alert(1)>", "likes", "</script><script>alert(2)</script>",
            text="<b>bold</b> \u202e turned", source="<i>table</i>",
        )  # fmt: skip

    page.served.run(give())
    page.open().ready()
    page.click("<img src=x onerror=alert(1)>")
    page.shows("#panel", "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>")
    page.press("#panel .say")
    page.shows("#panel", "<b>bold</b> \\u202e turned", "<i>table</i>")
    page.keys("c")
    page.shows("#flow text", "</script><script>alert(2)")
    assert not page.all("img") and not page.all("#panel b:not(.life b)")


def test_a_reader_sees_no_button_that_writes(page):
    page.give(*CAREERS).open(door="closed")
    page.shows("#sheet", "The token of this graph")
    page.keys("wrong-0123456789abcdef", Keys.ENTER)
    page.shows("#sheet", "not known here")
    page.keys(STRANGER, Keys.ENTER)
    page.shows("#sheet", "is for another group")
    page.keys(READER, Keys.ENTER)
    page.ready().click("Alice")
    page.shows("#panel", "works at Globex")
    page.press("#panel .say")
    page.shows("#panel", "To Globex")
    assert not page.all("#review")[0].is_displayed()
    assert not [one for one in page.all("#panel button") if one.text.endswith("…")]
    page.js("sessionStorage.setItem('explorer.token', arguments[0])", OWNER)
    page.open(door="closed").ready()
    assert page.all("#review")[0].is_displayed()
    page.js("sessionStorage.clear()")


def test_a_file_opens_from_the_disk(page, tmp_path):
    page.give(*CAREERS)
    file = tmp_path / "graph.html"
    page.served.run(page.served.graph.group(page.group).export.file(file))
    page.open(url=file.as_uri()).ready()
    page.keys("/", "ali", Keys.ENTER)
    page.shows("#panel", "works at Globex", "works at Acme")
    page.press("#panel .past .say")
    page.shows("#panel blockquote", "Alice works_at Acme from 2018-01-01.")
    page.js("app.time.seek(Date.parse('2020-01-01') / 1000)")
    assert page.holding() == 3
    assert not page.all("#review")[0].is_displayed() and not page.all("#history")[0].is_displayed()
    page.keys("c")
    assert not page.all("#through")[0].is_displayed() and not page.all("#flow")[0].is_displayed()


def test_a_notebook_shows_it_in_a_frame(page, tmp_path):
    page.give(*CAREERS)
    frame = page.served.run(page.served.graph.group(page.group).show())._repr_html_()
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>a notebook</title>{frame}", encoding="utf-8")
    page.browser.get(file.as_uri())
    page.browser.switch_to.frame(0)
    page.ready()
    assert page.text("#counts") == "6 entities, 5 facts"
    page.browser.switch_to.default_content()
