// Recorded sessions of several people, in the form that `concurrent.md` of the recordings describes.

/**
 * Plays a session as `triples` of `benches/src/traces.rs`. For each number in `saves`, `join` gets it, the text before both
 * sides, and the edits of mine, of theirs and of both. An edit is [at, length, text], in the order of the text.
 */
export function play({ txns, numAgents, endContent }, saves, join) {
  const [typed, versions, start] = [[], [], new Array(numAgents).fill(0)];
  const last = saves.map(() => start);
  const places = start.map(() => []);
  const settledIn = (version) => Math.min(...version.map((count, agent) => places[agent][count] ?? Infinity));
  let joined = 0;
  for (const { parents, agent, patches } of txns) {
    let version = start;
    for (const [nth, parent] of parents.entries()) {
      const [before, other] = [version, versions[parent]];
      version = before.map((count, n) => Math.max(count, other[n]));
      if (nth === 0) continue;
      joined += 1;
      for (const [n, every] of saves.entries()) {
        if (joined % every > 0) continue;
        const base = every > 1 ? last[n] : before.map((count, n) => Math.min(count, other[n]));
        const side = (isMine) => base.map((count, n) => (before[n] > other[n] === isMine ? version[n] : count));
        const settled = settledIn(base);
        const edits = [side(true), side(false), version].map((to) => keystrokes(typed, settled, base, to));
        let text = "";
        for (const item of typed) if (isIn(base, settled, item)) text += item.char;
        join(every, text, edits);
        last[n] = version;
      }
    }
    const stamp = { agent, number: version[agent] };
    version = version.with(agent, version[agent] + 1);
    const touched = places[agent].push(versions.length) && versions.length;
    const settled = settledIn(version);
    for (const [at, gone, text] of patches) {
      let [place, seen] = [0, 0];
      for (; seen < at; place++) seen += Number(isIn(version, settled, typed[place]));
      for (let n = place; seen < at + gone; n++) {
        if (!isIn(version, settled, typed[n])) continue;
        seen += 1;
        typed[n].deleted.push(stamp);
        typed[n].touched = touched;
      }
      typed.splice(place, 0, ...[...text].map((char) => ({ agent, number: stamp.number, char, deleted: [], touched })));
    }
    versions.push(version);
  }
  const end = typed.filter((item) => isIn(versions.at(-1), Infinity, item)).map(({ char }) => char);
  if (end.join("") !== endContent) throw new Error("a session ends in another text");
}

/** Returns the keystrokes from one version to another as edits. */
function keystrokes(typed, settled, from, to) {
  const edits = [];
  let [at, isOpen] = [0, false];
  for (let n = 0; n < typed.length; n++) {
    const was = isIn(from, settled, typed[n]);
    const is = typed[n].touched < settled ? was : isIn(to, settled, typed[n]);
    if (was !== is) {
      if (!isOpen) edits.push([at, 0, ""]);
      if (was) edits.at(-1)[1] += typed[n].char.length;
      else edits.at(-1)[2] += typed[n].char;
    }
    if (was || is) isOpen = was !== is;
    if (was) at += typed[n].char.length;
  }
  return edits;
}

/** Whether a version has a typed character. All transactions before `settled` are in the version, which saves most of the time. */
function isIn(version, settled, { agent, number, deleted, touched }) {
  if (touched < settled) return deleted.length === 0;
  if (number >= version[agent]) return false;
  for (let n = 0; n < deleted.length; n++) if (deleted[n].number < version[deleted[n].agent]) return false;
  return true;
}
