/** The headers of a push of Edge beside its token (docs/develop/unleash.md#pushes-of-edge). */
export function edgeHeaders(appName: string, connectionId: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: '*/*',
    'user-agent': 'unleash-edge-20.1.0',
    'unleash-appname': appName,
    'unleash-instanceid': connectionId,
    'unleash-connection-id': connectionId,
    'unleash-client-spec': '5.2.0',
  };
}
