import { crc32, deflateSync } from 'node:zlib';

/** Returns a black image of a size, as a real PNG. */
export function createPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
  };
  const header = Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 0, 0, 0, 0])]);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
