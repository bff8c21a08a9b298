// The board: carried, resized, pinned, dismissed and undone, by pointer and by keys; views, triggers, events.
import { check, equal, pause, that, until } from "./report.mjs";
import { rest, send } from "./document.mjs";
import { axe } from "./windows.mjs";

const HOSTILE = "<img src=x onerror=window.broken=1>";

export const boardOf = async (client) => (await client.get()).board;
const place = ({ position, size }) => [position.col, position.row, size.cols, size.rows];

/** Drags a component by cells; `during` runs before it is let go. */
export async function drag(window, id, cols, rows, { grip = false, during } = {}) {
  const card = window.at(`cmp-${id}`);
  // Away from the window's edges, near which a drag scrolls.
  await card.evaluate((node) => {
    const board = node.closest("[data-testid=board]");
    (board.clientHeight < innerHeight - 200 ? board : node).scrollIntoView({ block: "center", behavior: "instant" });
  });
  const step = await window.at("board").evaluate((grid) => {
    const style = getComputedStyle(grid);
    const gap = parseFloat(style.columnGap) || 0;
    const columns = Number(style.getPropertyValue("--columns")) || 12;
    return { x: (grid.clientWidth + gap) / columns, y: (parseFloat(style.gridAutoRows) || 64) + (parseFloat(style.rowGap) || 0) };
  });
  const { mouse } = window.page;
  const box = await (grip ? window.at(`cmp-${id}-resize`) : card).boundingBox();
  const from = grip ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : { x: box.x + 20, y: box.y + 14 };
  await mouse.move(from.x, from.y);
  await mouse.down();
  await mouse.move(from.x + 8, from.y + 8);
  await mouse.move(from.x + cols * step.x, from.y + rows * step.y, { steps: 8 });
  await during?.();
  await mouse.up();
}

export async function boardScenes({ a, b, client }) {
  const find = async (id) => (await boardOf(client)).canvas.components.find((one) => one.id === id);
  const placeOf = async (id) => place(await find(id));
  const stands = (id, wanted) => until(async () => equal(await placeOf(id), wanted, "place") ?? true, `${id} at ${wanted}`);
  const byType = async (type, key, value) =>
    (await boardOf(client)).canvas.components.find(({ typeId, config }) => typeId === type && (!key || config[key] === value)).id;
  const prs = await byType("github.stat-tile", "metric", "open_prs");
  const issues = await byType("github.stat-tile", "metric", "open_issues");
  const list = await byType("github.pr-list");
  const grid = await byType("github.issue-grid");
  const feed = await byType("github.activity-timeline");
  const shown = (window, id) =>
    window.at(`cmp-${id}`).evaluate(({ style }) => [style.gridColumn, style.gridRow].map((text) => text.match(/\d+/g).map(Number)).flat());
  const shows = (window, id, [col, row, cols, rows]) =>
    until(
      async () => JSON.stringify(await shown(window, id)) === JSON.stringify([col + 1, cols, row + 1, rows]),
      `${id} drawn at ${col}, ${row}`,
    );

  await check("board: the four built-in types are drawn with their data", async () => {
    for (const id of [prs, issues, list, grid, feed]) {
      await until(async () => equal(await a.at(`cmp-${id}`).getAttribute("data-status"), "ready", "status") ?? true, `data of ${id}`);
    }
    that((await a.at(`cmp-${list}`).locator("[role=option]").count()) > 2, "no pull requests");
    that(/\d/.test(await a.at(`cmp-${prs}`).textContent()), "no figure");
    await a.at("board").scrollIntoViewIfNeeded();
    await a.shot("board");
  });
  await check("board: dragged by pointer; the other window follows", async () => {
    await drag(a, grid, 0, 3, { during: () => a.shot("board-drag") });
    await stands(grid, [4, 3, 5, 3]);
    await shows(b, grid, [4, 3, 5, 3]);
  });
  await check("board: resized by pointer", async () => {
    await drag(a, issues, 1, 0, { grip: true });
    await stands(issues, [2, 0, 3, 1]);
    await shows(b, issues, [2, 0, 3, 1]);
  });
  await check("board: a refused drop changes nothing and shows the free places; one of them takes it", async () => {
    await drag(a, prs, 5, 4);
    const free = a.page.locator("[data-testid^=free-]");
    await free.first().waitFor();
    equal(await placeOf(prs), [0, 0, 2, 1], "place");
    that(/free place/i.test(await a.says()), `no sentence: ${await a.says()}`);
    await a.shot("board-refused");
    const [, col, row] = (await free.first().getAttribute("data-testid")).split("-").map(Number);
    await free.first().click();
    await stands(prs, [col, row, 2, 1]);
    equal(await free.count(), 0, "free places that are still shown");
    return `${await a.says()}`.slice(0, 100);
  });
  await check("board: undo and redo, by button and by key", async () => {
    const moved = await placeOf(prs);
    await a.at("undo").click();
    await until(async () => /Undone: (your|the assistant's) change/.test(await a.says()), "whose change it was");
    that(!/\(\d+, \d+\)/.test(await a.says()), "places counted from 0");
    await stands(prs, [0, 0, 2, 1]);
    await a.at("redo").click();
    await stands(prs, moved);
    await a.page.evaluate(() => document.activeElement?.blur());
    await a.page.keyboard.press("Control+z");
    await stands(prs, [0, 0, 2, 1]);
    await shows(b, prs, [0, 0, 2, 1]);
    await a.page.keyboard.press("Control+Shift+z");
    await stands(prs, moved);
  });
  await check("board: moved, resized and let go by keys alone", async () => {
    const [col, row] = await placeOf(prs);
    const card = a.at(`cmp-${prs}`);
    await card.focus();
    const hasFocus = () => card.evaluate((node) => node === document.activeElement);
    const press = async (...keys) => {
      for (const key of keys) await a.page.keyboard.press(key);
    };
    await press("Enter", "ArrowDown", "Escape");
    equal(await placeOf(prs), [col, row, 2, 1], "place after Escape");
    that(await hasFocus(), "the focus is lost");
    // To the last row, which nothing has.
    await press("Enter", ...Array(8).fill("ArrowDown"), ...Array(12).fill("ArrowLeft"), "Enter");
    await stands(prs, [0, 7, 2, 1]);
    await until(hasFocus, "focus");
    await press(" ", "Shift+ArrowRight", " ");
    await stands(prs, [0, 7, 3, 1]);
  });
  await check("board: pinned, dismissed and refreshed", async () => {
    await a.at(`cmp-${list}`).hover();
    await a.at(`cmp-${list}-pin`).click();
    await until(async () => (await find(list)).meta.pinned === true, "pinned");
    const { fetchedAt } = (await find(feed)).dataState;
    await a.at(`cmp-${feed}`).hover();
    await a.at(`cmp-${feed}-refresh`).click();
    await until(async () => (await find(feed)).dataState.fetchedAt > fetchedAt, "newer data");
    await a.at(`cmp-${feed}-dismiss`).click();
    await until(async () => !(await find(feed)), "dismissed");
    await until(async () => (await b.at(`cmp-${feed}`).count()) === 0, "gone from the other window");
    await a.at("undo").click();
    await until(() => find(feed), "back again");
    await a.at(`cmp-${list}-pin`).click();
    await until(async () => (await find(list)).meta.pinned !== true, "not pinned any more");
  });
  await check("board: what is changed in the page is a component.update", async () => {
    await a.at(`cmp-${issues}-edit`).click();
    await a.at(`edit-${issues}-config-metric`).selectOption({ label: "forks" });
    await a.at(`edit-${issues}-label`).fill(HOSTILE);
    await a.shot("board-edit");
    await a.at("edit-save").click();
    await until(async () => (await find(issues)).config.metric === "forks", "the new config");
    equal((await find(issues)).meta.label, HOSTILE, "label");
    for (const window of [a, b]) await window.at(`cmp-${issues}`).getByText(HOSTILE).waitFor();
    equal(await a.page.evaluate(() => [window.broken, document.querySelectorAll("#board img").length]), [null, 0], "inert");
    const [{ params }] = a.sent.filter(({ method }) => method === "board.command").slice(-1);
    equal(params.command.type, "component.update", "the command that was sent");
    const [entry] = (await client.get()).history.undo;
    equal(entry.actor, "user", "who did it");
    await until(async () => (await find(issues)).dataState.status === "ready", "data for the new config");
    // A field that the schema refuses is told in the form.
    await a.at(`cmp-${issues}-edit`).click();
    await a.at(`edit-${issues}-config-repo`).fill("no repository");
    await a.at("edit-save").click();
    await a.at("edit").locator(".problem").waitFor();
    await a.page.keyboard.press("Escape");
    return entry.summary;
  });
  await check("board: clicks, selections and actions reach the assistant with its next message", async () => {
    const option = a.at(`cmp-${list}`).locator("[role=option]").first();
    await option.click();
    await a.at(`cmp-${list}-action-open`).click();
    await until(async () => /next message/.test(await a.says()), "a sentence");
    await send(a, "what events have you been shown?");
    await rest(client);
    const { items } = (await client.get()).chat;
    const answer = items.findLast((item) => item.role === "assistant" && item.kind === "text").text;
    for (const event of ["component.clicked", "component.selected", "component.action"])
      that(answer.includes(event), `no ${event} in: ${answer}`);
    that(answer.includes(list), "the component is not named");
    await send(a, "what events now?");
    await rest(client);
    const again = (await client.get()).chat.items.findLast((item) => item.role === "assistant" && item.kind === "text").text;
    that(!again.includes("component.action"), "the same events come twice");
  });
  await check("board: the assistant puts a component on it", async () => {
    const before = (await boardOf(client)).canvas.components.length;
    await send(a, "put the stars on the board");
    await rest(client);
    await until(async () => (await boardOf(client)).canvas.components.length === before + 1, "one more");
    await until(async () => (await b.page.locator(".card").count()) === before + 1, "in the other window");
  });

  await check("board: a view is saved and loaded", async () => {
    const wanted = await placeOf(grid);
    await a.at("views").locator("summary").click();
    await a.at("view-name").fill("Mine");
    await a.at("save-view").click();
    const view = await until(async () => (await boardOf(client)).views.find(({ name }) => name === "Mine"), "the view");
    await a.at("views").locator("summary").click();
    await a.shot("board-views");
    await a.page.keyboard.press("Escape");
    await a.at(`cmp-${grid}`).focus();
    await a.page.keyboard.press("Delete");
    await until(async () => !(await find(grid)), "dismissed");
    const opened = await a.at("views").evaluate((node) => node.open);
    if (!opened) await a.at("views").locator("summary").click();
    await a.at(`load-${view.id}`).click();
    await until(() => find(grid), "loaded");
    equal(await placeOf(grid), wanted, "place");
  });
  const mode = async (value) => {
    const menu = a.at("settings");
    if (!(await menu.evaluate((node) => node.open))) await menu.locator("summary").click();
    await a.at("proactive-mode").selectOption(value);
    await until(async () => (await boardOf(client)).settings.proactiveMode === value, `mode ${value}`);
    await a.page.keyboard.press("Escape");
  };
  const types = async () => [...new Set((await boardOf(client)).canvas.components.map(({ typeId }) => typeId))].sort().join(" ");
  const WEEK = "github.activity-timeline github.issue-grid";
  await check("triggers: a session that begins suggests its view", async () => {
    const { items } = (await client.get()).chat;
    that(
      items.some(({ kind, triggerId }) => kind === "suggestion" && triggerId === "welcome"),
      "no suggestion",
    );
    await a.at("accept-welcome").first().waitFor();
  });
  await check("triggers: at a simulated time, suggest asks and loads when it is accepted", async () => {
    const before = await types();
    await a.at("simulate").selectOption("monday_morning");
    await a.at("accept-monday").waitFor();
    equal(await types(), before, "the board before it is accepted");
    await a.shot("trigger");
    await a.at("accept-monday").click();
    await until(async () => (await types()) === WEEK, "the view");
    await a.at("undo").click();
    await until(async () => (await types()) === before, "the board of before");
  });
  await check("triggers: auto loads by itself, and says so", async () => {
    const before = await types();
    await mode("auto");
    await a.at("simulate").selectOption("monday_morning");
    await until(async () => (await types()) === WEEK, "the view");
    await until(async () => /Monday morning/.test(await b.says()), "a sentence in the other window");
    await a.at("undo").click();
    await until(async () => (await types()) === before, "the board of before");
  });
  await check("triggers: off stays silent", async () => {
    await mode("off");
    const [before, told] = [await types(), (await client.get()).chat.items.length];
    await a.at("simulate").selectOption("monday_morning");
    await until(async () => /silent/.test(await a.says()), "a sentence to who asked");
    await pause(500);
    equal([await types(), (await client.get()).chat.items.length], [before, told], "board and chat");
    await mode("suggest");
  });

  await check("board: reload keeps all", async () => {
    const [before, views] = await boardOf(client).then(({ canvas, views: all }) => [
      canvas.components.map((one) => [one.id, place(one), one.config]),
      all.length,
    ]);
    await a.page.reload();
    await a.ready();
    for (const [id, at] of before) await shows(a, id, at);
    const after = await boardOf(client);
    equal([after.canvas.components.map((one) => [one.id, place(one), one.config]), after.views.length], [before, views], "board");
    equal(await a.page.locator(".card").count(), before.length, "components that are drawn");
    return `${before.length} components, ${views} views`;
  });
  await axe(a, "board: axe", "#board");
}
