// Lints an OpenAPI document with the rules that redocly recommends, as strictly as it can: a warning is an
// error.
//
//   node lint.js FILE
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// Its types say module, its package says CommonJS.
const { createConfig, formatProblems, getTotals, lintFromString } = createRequire(import.meta.url)(
  "@redocly/openapi-core",
);

const [file] = process.argv.slice(2);
const config = await createConfig({
  extends: ["recommended-strict"],
  // What the document says of itself is the program's; the licence is that of the tree it is built from.
  rules: { "info-license": "off" },
});
const source = readFileSync(file, "utf8");
const problems = await lintFromString({ source, absoluteRef: file, config });
formatProblems(problems, { format: "stylish", totals: getTotals(problems), version: "" });
const operations = Object.values(JSON.parse(source).paths).flatMap(Object.keys).length;
console.log(`openapi: ${operations} operations, ${problems.length || "no"} findings`);
process.exitCode = problems.length > 0 || operations === 0 ? 1 : 0;
