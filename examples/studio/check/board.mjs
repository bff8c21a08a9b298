// The board: by pointer and by keys, views, triggers, what the assistant hears of it.
import { check, equal, that, until } from "./report.mjs";

export async function boards({ open, shot, client }) {
  const page = await open("board", { height: 1500 });
  const other = await open("board-two");
  const at = (id) => page.getByTestId(id);
  const board = async () => (await client.ask("canvas.get")).board;
  const find = async (type, n = 0) => (await board()).canvas.components.filter((one) => one.typeId === type)[n];
  const place = async (id) => (await board()).canvas.components.find((one) => one.id === id)?.position;
  const step = async () => {
    const { width, height } = await at("board").boundingBox();
    const { grid } = (await board()).canvas;
    return { x: width / grid.columns, y: height / grid.rows };
  };
  const drag = async (id, columns, rows) => {
    const card = at(`cmp-${id}`);
    await card.scrollIntoViewIfNeeded();
    const box = await card.boundingBox();
    const { x, y } = await step();
    await page.mouse.move(box.x + 30, box.y + 12);
    await page.mouse.down();
    for (let i = 1; i <= 8; i += 1) await page.mouse.move(box.x + 30 + (columns * x * i) / 8, box.y + 12 + (rows * y * i) / 8);
    await page.waitForTimeout(50);
    await page.mouse.up();
  };
  const tile = await find("github.stat-tile");
  const grid = await find("github.issue-grid");
  await at(`cmp-${tile.id}`).waitFor();

  await check("board: the four types show their data", async () => {
    for (const type of ["github.stat-tile", "github.pr-list", "github.issue-grid", "github.activity-timeline"]) {
      const { id } = await find(type);
      await until(async () => (await at(`cmp-${id}`).getAttribute("data-status")) === "ready", `${type} is ready`);
    }
    await shot(page, "board");
  });
  await check("board: a drag moves, in both windows", async () => {
    await drag(tile.id, 0, 6);
    await until(async () => JSON.stringify(await place(tile.id)) === JSON.stringify({ col: 0, row: 6 }), "moved");
    await until(async () => (await other.getByTestId(`cmp-${tile.id}`).boundingBox()).y > 0, "in the other window");
  });
  await check("board: a refused drop shows the free places, one of them takes it", async () => {
    const before = await place(tile.id);
    await drag(tile.id, 4, -6);
    const free = page.locator("[data-testid^='free-']");
    await free.first().waitFor();
    await shot(page, "board-refused");
    equal(await place(tile.id), before, "place");
    const id = await free.first().getAttribute("data-testid");
    await free.first().click();
    const [, col, row] = id.split("-").map(Number);
    await until(async () => JSON.stringify(await place(tile.id)) === JSON.stringify({ col, row }), `moved to ${id}`);
    return id;
  });
  await check("board: undo, redo, and a reload keeps all", async () => {
    const moved = await place(tile.id);
    await at("undo").click();
    await until(async () => JSON.stringify(await place(tile.id)) === JSON.stringify({ col: 0, row: 6 }), "undone");
    await at("redo").click();
    await until(async () => JSON.stringify(await place(tile.id)) === JSON.stringify(moved), "redone");
    const before = JSON.stringify((await board()).canvas.components.map(({ id, position, size }) => [id, position, size]));
    await page.reload();
    await at(`cmp-${tile.id}`).waitFor();
    equal(JSON.stringify((await board()).canvas.components.map(({ id, position, size }) => [id, position, size])), before, "board");
  });
  await check("board: keys move and resize, Escape lets go", async () => {
    const { id } = await find("github.activity-timeline");
    const before = (await board()).canvas.components.find((one) => one.id === id);
    await at(`cmp-${id}`).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("Enter");
    await until(async () => (await place(id)).row === before.position.row + 1, "moved by keys");
    const after = (await board()).canvas.components.find((one) => one.id === id);
    equal(after.size.rows, before.size.rows - 1, "rows");
    await at(`cmp-${id}`).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    await page.waitForTimeout(200);
    equal(await place(id), after.position, "place");
  });
  await check("board: pin, dismiss, refresh", async () => {
    const { id } = await find("github.stat-tile", 1);
    await at(`cmp-${id}`).hover();
    await at(`cmp-${id}-pin`).click();
    await until(async () => (await board()).canvas.components.find((one) => one.id === id).meta.pinned, "pinned");
    await at(`cmp-${id}-pin`).click();
    await until(async () => !(await board()).canvas.components.find((one) => one.id === id).meta.pinned, "unpinned");
    const asked = (await board()).canvas.components.find((one) => one.id === id).dataState.fetchedAt;
    await at(`cmp-${id}`).hover();
    await at(`cmp-${id}-refresh`).click();
    await until(async () => (await board()).canvas.components.find((one) => one.id === id).dataState.fetchedAt > asked, "new data");
    await at(`cmp-${id}`).hover();
    await at(`cmp-${id}-dismiss`).click();
    await until(async () => (await at(`cmp-${id}`).count()) === 0, "dismissed");
    await at("undo").click();
    await at(`cmp-${id}`).waitFor();
  });
  await check("board: a config changed in the page is a component.update", async () => {
    await at(`cmp-${tile.id}`).hover();
    await at(`cmp-${tile.id}-edit`).click();
    await at(`edit-${tile.id}-config-repo`).fill("octo/other");
    await at("edit-save").click();
    await until(async () => (await board()).canvas.components.find((one) => one.id === tile.id).config.repo === "octo/other", "the config");
    equal((await client.ask("canvas.get")).history.undo[0].actor, "user", "actor");
  });
  await check("board: views are saved and loaded", async () => {
    await at("views").click();
    await at("view-name").fill("Mine");
    await at("save-view").click();
    await until(async () => (await board()).views.some((view) => view.name === "Mine"), "saved");
    const overview = (await board()).views.find((view) => view.name === "Overview");
    await at(`load-${overview.id}`).click();
    await until(async () => (await place(tile.id))?.row === 0, "loaded");
    await page.keyboard.press("Escape");
  });
  await check("board: triggers: suggest asks, auto loads, off stays silent", async () => {
    const mode = async (proactiveMode) => {
      const done = await client.ask("board.command", { command: { type: "settings.update", payload: { proactiveMode } } });
      that(done.success, JSON.stringify(done));
    };
    const mine = (await board()).views.find((view) => view.name === "Mine");
    const trigger = (await board()).triggers.find((one) => one.type === "time_based");
    await client.ask("board.command", { command: { type: "trigger.set", payload: { trigger: { ...trigger, viewId: mine.id, message: "Shall I load mine?" } } } });
    const asked = () => page.getByTestId("suggestion").count();
    const before = await asked();
    await mode("off");
    await at("simulate").selectOption("monday_morning");
    await page.waitForTimeout(300);
    equal(await asked(), before, "suggestions while off");
    await mode("suggest");
    await at("simulate").selectOption({ index: 0 }).catch(() => {});
    await client.ask("trigger.simulate", { simulatedTime: "monday_morning" });
    await until(async () => (await asked()) > before, "a suggestion");
    await page.getByTestId(`accept-${trigger.id}`).last().click();
    await until(async () => (await place(tile.id))?.row !== 0 || (await board()).canvas.components.length > 0, "loaded by consent");
    await mode("auto");
    await client.ask("board.action", { action: { type: "user.undo" } });
    const loaded = await client.ask("trigger.simulate", { simulatedTime: "monday_morning" });
    equal(loaded.activated, [trigger.id], "activated");
    await mode("suggest");
  });
  await check("board: a click reaches the assistant with the next message", async () => {
    const { id } = await find("github.pr-list");
    await at(`cmp-${id}`).locator("[role=option], li, a, button.item").first().click();
    await page.waitForTimeout(200);
    await at("chat-input").fill("which events were there?");
    await at("send").click();
    await until(async () => (await at("chat").innerText()).includes("component.clicked"), "the click in the answer", 10_000);
  });
  await check("board: HTML in a config stays text", async () => {
    const hostile = "x/y<img src=x onerror=window.broken=1>";
    const made = await client.ask("board.command", { command: { type: "component.update", payload: { componentId: tile.id, meta: { label: hostile } } } });
    that(made.success, JSON.stringify(made.error));
    await until(async () => (await at(`cmp-${tile.id}`).innerText()).includes("<img"), "as text");
    equal(await page.evaluate(() => window.broken === undefined), true, "inert");
  });
  await Promise.all([page.close(), other.close()]);
}
