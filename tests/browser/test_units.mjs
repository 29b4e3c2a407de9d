// Unit tests of the dashboard's modules that need no browser: runs web/test and passes its TAP on, without the nesting by file.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const tests = join(dirname(fileURLToPath(import.meta.url)), "../../web/test");
const files = readdirSync(tests).filter((name) => name.endsWith(".test.mjs")).sort();
let cases = 0;
let failed = 0;
for (const file of files) {
  // Node prints TAP when a file of tests is run by itself and the reporter is asked for.
  const run = spawnSync(process.execPath, ["--test-reporter=tap", join(tests, file)], { encoding: "utf8", timeout: 600000 });
  let seen = 0;
  for (const line of run.stdout.split("\n")) {
    const found = /^(not ok|ok) \d+ - (.*?)( # (?:SKIP|TODO).*)?$/.exec(line);
    if (found) console.log(`${found[1]} ${++cases} - ${found[2]}`);
    else if (/^ {4,}(error|stack|expected|actual|location):/.test(line) || /^ {6,}/.test(line)) console.log(`# ${line}`);
    if (found) seen++;
    if (found?.[1] === "not ok") failed++;
  }
  if (seen === 0 || (run.status !== 0 && failed === 0)) {
    console.log(`not ok ${++cases} - ${file} runs to its end`);
    console.log(`# ${run.stderr.split("\n").join("\n# ")}`);
    failed++;
  }
}
console.log(`1..${cases}`);
process.exit(failed === 0 ? 0 : 1);
