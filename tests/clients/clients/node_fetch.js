// Our client on Node's fetch: prints the number of each event. Arguments: address, last number.
import { AnnalsClient } from "../../../clients/js/src/index.js";

const [url, last] = process.argv.slice(2);
for await (const event of new AnnalsClient({ url }).follow({ from: "oldest" })) {
  console.log(event.seq);
  if (event.seq >= Number(last)) break;
}
