"""The part of the package `websockets` that the README's example uses, for machines whose Python lacks the package."""

import asyncio
import base64
import os
import struct
from urllib.parse import urlsplit

TEXT, CLOSE = 1, 8


class connect:
    def __init__(self, url, additional_headers):
        self.url, self.headers = urlsplit(url), additional_headers

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection(self.url.hostname, self.url.port)
        lines = [f"GET {self.url.path} HTTP/1.1", f"Host: {self.url.netloc}", "Connection: Upgrade", "Upgrade: websocket"]
        lines += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.partition(b"\r\n")[0]:
            raise ConnectionError(answer.decode())
        return self

    async def __aexit__(self, *failure):
        self.writer.close()

    async def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.writer.write(struct.pack(">BBH", 0x80 | TEXT, 0x80 | 126, len(data)) + mask + masked)
        await self.writer.drain()

    def __aiter__(self):
        return self

    async def __anext__(self):
        while True:
            first, length = await self.reader.readexactly(2)
            if length > 125:
                form = ">H" if length == 126 else ">Q"
                (length,) = struct.unpack(form, await self.reader.readexactly(struct.calcsize(form)))
            data = await self.reader.readexactly(length)
            if first & 0xF == CLOSE:
                raise StopAsyncIteration
            if first & 0xF == TEXT:
                return data.decode()
