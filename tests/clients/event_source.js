/**
 * Follows with an EventSource, as a page should: it reconnects by itself, but gives up for good on an
 * answer that is not 200, such as the 502 of a proxy whose server restarts; then a new one is made that
 * goes on where the old one stood. Runs in Node and, as text, in a browser. Returns when `last` is there.
 */
export function followWith(Source, stream, last, onEvent, onAnew = () => {}) {
  return new Promise((resolve) => {
    let position = 0;
    const open = () => {
      const source = new Source(`${stream}?after=${position}`);
      source.onmessage = ({ lastEventId }) => {
        position = Number(lastEventId);
        onEvent(position);
        if (position < last) return;
        source.close();
        resolve();
      };
      source.onerror = () => {
        if (source.readyState !== Source.CLOSED) return;
        onAnew();
        setTimeout(open, 300);
      };
    };
    open();
  });
}
