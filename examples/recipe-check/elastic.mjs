// Evaluates time expressions with @elastic/datemath, in UTC with weeks from Monday: lines of [expr, now] in, of milliseconds out.
import { createInterface } from "node:readline";
import datemath from "@elastic/datemath";
import moment from "moment";

moment.updateLocale("en", { week: { dow: 1, doy: 4 } });
const parse = datemath.parse ?? datemath.default.parse;
for await (const line of createInterface({ input: process.stdin })) {
  const [expr, now] = JSON.parse(line);
  const found = parse(expr, { forceNow: new Date(now), momentInstance: moment });
  console.log(found?.isValid() ? found.valueOf() : "null");
}
