// The surface: the minimal page of the source document, confirmations, fields, jobs; recipes.
import { check, equal, that, until } from "./report.mjs";

export async function surfaces({ open, shot, client }) {
  const page = await open("surface");
  const other = await open("surface-two");
  const at = (id) => page.getByTestId(id);
  const inside = (window) => window.frameLocator("[data-testid=surface-frame]");
  const state = async () => (await client.ask("canvas.get")).state;

  await check("acceptance 2 of 001: the minimal page, as it is written, is rendered and triggers actions by id", async () => {
    const { assets } = await client.ask("canvas.get");
    that(assets.some((asset) => asset.path === "assets/index.html"), "no page");
    await at("surface-frame").scrollIntoViewIfNeeded();
    await until(async () => (await inside(page).locator("h1").textContent()) === "api", "the bound text");
    equal(await inside(page).locator("input").inputValue(), (await state()).version, "the bound field");
    await inside(page).getByRole("button", { name: "Refresh Logs" }).click();
    await until(async () => (await inside(page).locator("pre").textContent()).trim() !== "", "the log");
  });
  await check("surface: an action is confirmed by the page, No changes nothing", async () => {
    await inside(page).getByRole("button", { name: "Deploy" }).click();
    await at("confirm").waitFor();
    that((await at("confirm").innerText()).includes("./deploy"), "the words are not shown");
    equal(await page.evaluate(() => document.activeElement?.dataset.testid), "confirm-no", "focus");
    await shot(page, "surface-confirm");
    await at("confirm-no").click();
    await at("confirm").waitFor({ state: "hidden" });
    equal((await state()).lastDeploy, null, "lastDeploy");
  });
  await check("acceptance 5 of 001: nothing in the frame confirms: the request that it sends is asked for again", async () => {
    const frame = page.frames().find((one) => one.url().includes("/f/"));
    const asked = frame.evaluate(() => window.gsvCanvas.runAction("deploy", { confirmation: { digest: "0".repeat(64), plannedAt: Date.now() } }).then(() => "ran", (error) => error.code));
    await at("confirm").waitFor();
    await at("confirm-no").click();
    that((await asked) !== "ran", "it ran");
    equal((await state()).lastDeploy, null, "lastDeploy");
  });
  await check("surface: deploy pressed and confirmed, the state changes in both windows", async () => {
    await inside(page).getByRole("button", { name: "Deploy" }).click();
    await at("confirm-yes").click();
    await until(async () => (await state()).lastDeploy?.result?.includes("is live"), "deployed");
    await shot(page, "surface");
  });
  await check("surface: a field writes its place, one undo entry a focus, in both windows", async () => {
    const entries = (await client.ask("canvas.get")).history.undo.length;
    await inside(page).locator("input").fill("1.2.8");
    await inside(page).locator("input").press("End");
    await page.keyboard.type("9");
    await inside(page).getByRole("button", { name: "Refresh Logs" }).focus();
    await until(async () => (await state()).version === "1.2.89", "written");
    await until(async () => (await inside(other).locator("input").inputValue()) === "1.2.89", "in the other window");
    const after = (await client.ask("canvas.get")).history.undo;
    that(after.length === Math.min(20, entries + 1), `${after.length} entries after ${entries}`);
    await at("undo").click();
    await until(async () => (await state()).version !== "1.2.89", "undone");
  });
  await check("surface: HTML in the state stays text", async () => {
    await client.ask("canvas.patch", { patch: [{ op: "replace", path: "/service", value: "<img src=x onerror=document.title='broken'>" }] });
    await until(async () => (await inside(page).locator("h1").textContent()).startsWith("<img"), "as text");
    equal(await inside(page).locator("h1 img").count(), 0, "elements");
    await client.ask("history.undo");
  });
  await check("surface: the assistant changes the state", async () => {
    await at("chat-input").fill("set the surface");
    await at("send").click();
    await until(async () => (await inside(page).locator("input").inputValue()) === "1.3.0", "shown", 10_000);
  });
  await check("recipe: the assistant records one, it refreshes without it", async () => {
    await until(async () => !(await client.ask("canvas.get")).chat.running, "idle");
    await at("chat-input").fill("make a recipe");
    await at("send").click();
    await until(async () => (await client.ask("canvas.get")).recipe !== null, "recorded", 10_000);
    await until(async () => !(await client.ask("canvas.get")).chat.running, "idle", 10_000);
    const done = await client.ask("recipe.refresh");
    equal(done.refreshed.length, 1, "refreshed");
  });
  await Promise.all([page.close(), other.close()]);
}
