export { AnnalsClient } from "./client.js";
export {
  AnnalsError,
  ConnectionError,
  ProblemError,
  ProtocolError,
  ResyncError,
  RevokedError,
  SequenceError,
} from "./errors.js";
export { EventStreamParser } from "./event_stream.js";
export { Following } from "./following.js";
export { newEventId } from "./ids.js";
export { memoryPosition, storedPosition } from "./positions.js";
export { TabFollowing } from "./tabs.js";
