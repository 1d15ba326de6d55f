"""Open every page of the built documentation in Chromium, at the widths of a telephone and a desk.

    python -m tests.site.browse docs/_build/html

A page fails if the console reports an error, if it or its article scrolls sideways, if an element
sticks out of the article or is cut off, if it loads anything from elsewhere, or if a picture is
missing. The site fails if a search does not find the right page first, or if the filters of tables
leave other rows than they should.
Chromium and its driver come from the system (Debian: ``apt install chromium chromium-driver``).
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

WIDTHS = (400, 1400)
HEIGHT = 1000
SECONDS = 20

#: what is searched for -> the pages one of which must be found first
SEARCHES = {
    "install": ("install.html",),
    "prelu": ("reference/operators/prelu.html", "reference/operators/prelu_backward.html"),
    "race": ("start/checker.html", "checker.html", "gallery/10_race_found_and_fixed.html"),
    "logit_grad": ("reference/operators/logit_grad.html",),
}

#: page -> words for the filters of its tables, which some rows have
FILTERS = {
    "accuracy.html": "gelu_backward float16",
    "performance.html": "glu sliced float32",
    "operators.html": "aclnnGelu",
}
SHOWN_ROWS = """
return [...document.querySelectorAll("input.table-filter + * tbody tr")]
    .filter(row => row.checkVisibility()).map(row => row.textContent);
"""

#: elements of the article that nothing around them scrolls to: it sticks out, or is cut off
TOO_WIDE = """
const root = document.documentElement;
const article = document.querySelector(".bd-article-container") || document.body;
const edge = article.getBoundingClientRect().right;
const name = e => e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 60);
const overflow = e => getComputedStyle(e).overflowX;
const end = e => {  // of its content, where that is visible beside it
    const box = e.getBoundingClientRect();
    const content = e.clientWidth && overflow(e) == "visible" ? e.scrollWidth : 0;
    return Math.max(box.right, box.left + content);
};
const fault = e => {
    for (let p = e.parentElement, right = end(e); p && p != article; p = p.parentElement) {
        const kind = overflow(p);
        if (["auto", "scroll"].includes(kind)) return "";
        if (kind != "visible" && right > p.getBoundingClientRect().right + 1) return "cut off: ";
    }
    return end(e) > edge + 1 ? "sticks out: " : "";
};
const shown = e => e.checkVisibility() && getComputedStyle(e).position != "absolute";
const wide = [...article.querySelectorAll("*")].filter(e => shown(e) && fault(e));
const faults = wide.filter(e => !wide.some(inner => inner != e && e.contains(inner)))
    .map(e => fault(e) + name(e));
if (article.scrollWidth > article.clientWidth + 1) faults.push("the article scrolls sideways");
if (root.scrollWidth > root.clientWidth) faults.push("the page scrolls sideways");
return faults.slice(0, 5);
"""
FROM_ELSEWHERE = """
return performance.getEntriesByType("resource").map(e => e.name)
    .filter(url => !url.startsWith(location.origin));
"""
MISSING_PICTURES = """
return [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src);
"""


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yield its address."""
    handler = partial(_Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    """Yield a Chromium without a window that reports what its console gets."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        yield driver
    finally:
        driver.quit()


def set_width(driver: webdriver.Chrome, width: int) -> None:
    """Give the page a width; windows cannot be as narrow as a telephone."""
    metrics = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def faults(driver: webdriver.Chrome) -> Iterator[str]:
    """Yield what is wrong with the page that is open."""
    for entry in driver.get_log("browser"):
        if entry["level"] in ("SEVERE", "WARNING"):
            yield f"console: {entry['message']}"
    yield from driver.execute_script(TOO_WIDE)
    yield from (f"needs the network: {url}" for url in driver.execute_script(FROM_ELSEWHERE))
    yield from (f"picture is missing: {url}" for url in driver.execute_script(MISSING_PICTURES))


def search_results(driver: webdriver.Chrome, address: str, words: str) -> list[str]:
    """Return the pages that the site's search finds."""
    driver.get(f"{address}/search.html?q={words}")
    found = "#search-results ul.search li a"
    WebDriverWait(driver, SECONDS).until(lambda d: d.find_elements(By.CSS_SELECTOR, found))
    links = driver.find_elements(By.CSS_SELECTOR, found)
    pages = [str(link.get_attribute("href")).removeprefix(f"{address}/") for link in links]
    return [page.partition("?")[0].partition("#")[0] for page in pages]


def filters_work(driver: webdriver.Chrome, page: str, words: str) -> bool:
    """Tell whether the filters of a page leave rows, and only rows with these words."""

    def work(_: webdriver.Chrome) -> bool:
        rows = driver.execute_script(SHOWN_ROWS)
        return bool(rows) and all(word in row for row in rows for word in words.split())

    driver.get(page)
    for field in driver.find_elements(By.CSS_SELECTOR, "input.table-filter"):
        field.send_keys(words)
    with suppress(TimeoutException):
        return WebDriverWait(driver, SECONDS).until(work)
    return False


def check(folder: Path) -> int:
    """Check a built site; return the number of faults."""
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    pages = [page for page in pages if not page.startswith("_")]
    count = 0
    with served(folder) as address, browser() as driver:
        for width in WIDTHS:
            set_width(driver, width)
            for page in pages:
                driver.get(f"{address}/{page}")
                for fault in faults(driver):
                    print(f"{page}, {width} pixels: {fault}")
                    count += 1
        for words, expected in SEARCHES.items():
            found = search_results(driver, address, words)
            if found[0] not in expected:
                print(f"the search for {words} finds {found[0]} first, not {expected[0]}")
                count += 1
        for page, words in FILTERS.items():
            if not filters_work(driver, f"{address}/{page}", words):
                print(f"{page}: the filters leave no rows for {words}, or others")
                count += 1
        print(f"{len(pages)} pages at {len(WIDTHS)} widths, {len(SEARCHES)} searches:", end=" ")
        print(f"{count} faults")
    return count


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1])) > 0)
