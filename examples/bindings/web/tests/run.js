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

/** Like `failures`, for tests that return promises. They run one after the other. */
export async function rejections(tests) {
  const failed = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
    } catch (error) {
      failed.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  return { count: Object.keys(tests).length, failed };
}
