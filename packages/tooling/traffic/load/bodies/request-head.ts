/** The head of a request, with the empty line after it. */
export function headOf(
  { url, token }: { readonly url: URL; readonly token: string },
  headers: Readonly<Record<string, string | number>>,
): Buffer {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: ${token}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
