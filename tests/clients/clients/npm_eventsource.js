// The package eventsource: prints the number of each event. Arguments: address, last number.
import { EventSource } from "eventsource";

import { followWith } from "../event_source.js";

const [url, last] = process.argv.slice(2);
followWith(EventSource, `${url}/v1/events/stream`, Number(last), (seq) => console.log(seq));
