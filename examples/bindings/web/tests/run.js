/** Runs tests, and returns what fails. */
export function failures(tests) {
  const failed = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      test();
    } catch (error) {
      failed.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  return { count: Object.keys(tests).length, failed };
}
