// Server-sent events over fetch.

/// Yields the frames of a response body: { id, event, data }, each undefined where the frame has none.
/// Comments are left out.
export async function* frames(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n', start)) {
      const frame = parseFrame(rest.slice(start, end));
      if (frame) yield frame;
      start = end + 2;
    }
    rest = rest.slice(start);
  }
}

function parseFrame(text) {
  const frame = {};
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(colon + 1);
    frame[line.slice(0, colon)] = value.startsWith(' ') ? value.slice(1) : value;
  }
  return Object.keys(frame).length > 0 ? frame : null;
}
