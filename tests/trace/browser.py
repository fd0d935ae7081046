"""A headless Chromium, driven through its DevTools protocol over a pipe: no port, no library."""

import base64
import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find() -> str | None:
    """The browser's path, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One browser with one page. Use it in a `with` statement: it ends with it."""

    def __init__(self, path: str):
        self.folder = tempfile.TemporaryDirectory(prefix="lares-browser-")
        # The browser reads commands from its descriptor 3 and answers on 4.
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                 "--no-first-run", "--disable-extensions", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
                 "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.folder.name}"]
        # Not sh, which may know no descriptors above 9.
        command = ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "bash", path, *flags]
        self.process = subprocess.Popen(command, pass_fds=(to_read, from_write),
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(from_write)
        self.answers: queue.Queue = queue.Queue()
        self.events: list[dict] = []
        self.next = 0
        self.session = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close", seconds=10)
            self.process.wait(10)
        except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to_write)
        self.reader.join()
        os.close(self.from_read)
        self.folder.cleanup()

    def _read(self):
        rest = b""
        while True:
            try:
                piece = os.read(self.from_read, 1 << 16)
            except OSError:
                piece = b""
            if not piece:
                self.answers.put(None)
                return
            *messages, rest = (rest + piece).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers.put(message)
                else:
                    self.events.append(message)

    def call(self, method: str, seconds: float = 120, **parameters):
        """The result of a command; RuntimeError if the browser refuses it or is gone."""
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            try:
                answer = self.answers.get(timeout=seconds)
            except queue.Empty:
                raise TimeoutError(f"{method}: no answer in {seconds} s") from None
            if answer is None:
                raise RuntimeError(f"{method}: the browser is gone")
            if answer["id"] != self.next:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def open(self, path: pathlib.Path):
        """Opens a file, and waits for its first response only."""
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())

    def value(self, expression: str, seconds: float = 120):
        """Of an expression in the page; promises are waited for."""
        found = self.call("Runtime.evaluate", seconds=seconds, expression=expression,
                          awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def window(self, width: int, height: int, scale: float = 1):
        """Sets the page's size in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def theme(self, name: str):
        """ "light" or "dark", as if the system said so."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, path: pathlib.Path, whole: bool = True):
        """A PNG of the whole page, or of what is in the window."""
        made = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(made["data"]))

    def paper(self, path: pathlib.Path):
        """A PDF, as printed."""
        made = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(made["data"]))

    def complaints(self) -> list[str]:
        """What the console showed as errors or warnings, and exceptions that nobody caught."""
        found = []
        for event in list(self.events):
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"]))
            if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(str(parameters["entry"]))
            if (event["method"] == "Runtime.consoleAPICalled"
                    and parameters["type"] in ("error", "warning", "assert")):
                found.append(str(parameters["args"]))
        return found

    def requests(self) -> list[str]:
        """Addresses that the page asked for, without those that lie in itself."""
        asked = [event["params"]["request"]["url"] for event in list(self.events)
                 if event["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("data:", "blob:"))]
