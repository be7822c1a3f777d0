"""urllib in a loop: prints the number of each event. Arguments: address of the server, last number."""

import sys
import time
import urllib.error
import urllib.request

from frames import Frames

url, last = sys.argv[1], int(sys.argv[2])
frames = Frames()
while frames.position < last:
    request = urllib.request.Request(
        f"{url}/v1/events/stream", headers={"Last-Event-ID": str(frames.position)}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            for line in answer:
                if frames.take(line) and frames.position >= last:
                    break
    except (urllib.error.URLError, OSError):
        pass
    frames.cut()
    time.sleep(0.3)
