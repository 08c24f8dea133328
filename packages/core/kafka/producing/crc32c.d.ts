/** The package crc-32 has types for its other checksum only. */
declare module 'crc-32/crc32c.js' {
  const crc32c: {
    /** CRC-32C of the bytes, as a signed number. */
    readonly buf: (bytes: Uint8Array) => number;
  };
  export default crc32c;
}
