import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import { followWith } from "./event_source.js";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Chromium without a window, with an empty profile. */
export class Browser {
  static async start() {
    const { chromium } = await import("playwright-core");
    const browser = new Browser();
    browser.process = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
    browser.context = await browser.process.newContext({ ignoreHTTPSErrors: true });
    return browser;
  }

  /** A tab on the origin of the server, where `/client/` has our client. */
  async tab(url) {
    const page = await this.context.newPage();
    await page.route("**/client/*.js", async (route) => {
      const name = basename(new URL(route.request().url()).pathname);
      const file = new URL(`../../clients/js/src/${name}`, import.meta.url);
      await route.fulfill({ contentType: "text/javascript", body: await readFile(file) });
    });
    await page.goto(`${url}/healthz`);
    return page;
  }

  /** The numbers that a native EventSource hands out up to `last`, and how often it gave up. */
  async eventSource(url, last) {
    const page = await this.tab(url);
    return page.evaluate(
      async ([follow, last]) => {
        const seqs = [];
        let anew = 0;
        const followWith = new Function(`return ${follow}`)();
        await followWith(EventSource, "/v1/events/stream", last, (n) => seqs.push(n), () => ++anew);
        return { seqs, anew };
      },
      [followWith.toString(), last],
    );
  }

  /** The same of our client, in a page that is loaded anew again and again. */
  async reloadingClient(url, last) {
    const page = await this.tab(url);
    const seqs = [];
    while ((seqs.at(-1) ?? 0) < last) {
      const stopAt = Math.min(last, (seqs.at(-1) ?? 0) + 90);
      seqs.push(
        ...(await page.evaluate(async (stopAt) => {
          const { AnnalsClient, storedPosition } = await import("/client/index.js");
          const position = storedPosition("test");
          const log = new AnnalsClient({ url: location.origin });
          const seqs = [];
          const following = log.follow({ from: "oldest", position });
          await following.each((event) => {
            seqs.push(event.seq);
            // Closed while it is being handled: it counts as handled when this returns.
            if (event.seq >= stopAt) queueMicrotask(() => following.close());
          });
          return seqs;
        }, stopAt)),
      );
      if (seqs.at(-1) < last) {
        // The page cannot be loaded while the server is away.
        await page.goto(`${url}/healthz`).catch(() => page.waitForTimeout(200));
      }
    }
    return { seqs };
  }

  /** What three tabs hand out that share one connection; the leading one is closed on the way. */
  async tabs(url, last) {
    const pages = await Promise.all([this.tab(url), this.tab(url), this.tab(url)]);
    const start = (page) =>
      page.evaluate(async () => {
        const { AnnalsClient, TabFollowing } = await import("/client/index.js");
        globalThis.seqs = [];
        globalThis.following = new TabFollowing(
          new AnnalsClient({ url: location.origin }),
          { channel: "test", from: "oldest" },
          (event) => void globalThis.seqs.push(event.seq),
        );
      });
    for (const page of pages) await start(page);
    const reaches = (page, seq) =>
      page.waitForFunction((seq) => globalThis.seqs.at(-1) >= seq, seq, { timeout: 60_000 });
    await Promise.all(pages.map((page) => reaches(page, Math.floor(last / 2))));
    const leads = await Promise.all(
      pages.map((page) => page.evaluate(() => globalThis.following.leading)),
    );
    if (leads.filter(Boolean).length !== 1) throw new Error(`leaders: ${leads}`);
    await pages.splice(leads.indexOf(true), 1)[0].close();
    await Promise.all(pages.map((page) => reaches(page, last)));
    const both = await Promise.all(pages.map((page) => page.evaluate(() => globalThis.seqs)));
    if (String(both[0]) !== String(both[1])) throw new Error("the tabs saw different events");
    return { seqs: both[0] };
  }

  async stop() {
    await this.process.close();
  }
}
