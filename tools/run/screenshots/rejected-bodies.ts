/** Bodies that are not accepted: of a script with a wrong type, and of an application whose token was revoked. */
export async function sendRejectedBodies(url: string, token: string): Promise<void> {
  const senders = [
    {
      authorization: token,
      'unleash-appname': 'sample-batch',
      'user-agent': 'python-requests/2.32',
      body: '{"applications": [], "metrics": [{"yes": "12"}]}',
      times: 4,
    },
    {
      authorization: '*:production.revoked',
      'unleash-appname': 'sample-ios',
      'unleash-sdk': 'unleash-ios@2.3.0',
      body: '{"metrics": []}',
      times: 17,
    },
  ];
  for (const { body, times, ...headers } of senders)
    for (let time = 0; time < times; time += 1) {
      const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
      const { status } = await fetch(`${url}/edge/metrics`, options);
      if (status < 400) throw new Error(`a wrong body was answered with ${status}`);
    }
}
