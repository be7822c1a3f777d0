"""aiohttp in a loop: prints the number of each event. Arguments: address of the server, last number."""

import asyncio
import sys

import aiohttp

from frames import Frames

url, last = sys.argv[1], int(sys.argv[2])


async def main():
    frames = Frames()
    timeout = aiohttp.ClientTimeout(total=None, sock_read=30)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        while frames.position < last:
            headers = {"Last-Event-ID": str(frames.position)}
            try:
                async with session.get(f"{url}/v1/events/stream", headers=headers) as answer:
                    async for line in answer.content:
                        if frames.take(line) and frames.position >= last:
                            return
            except aiohttp.ClientError:
                pass
            frames.cut()
            await asyncio.sleep(0.3)


asyncio.run(main())
