import { expect } from 'chai';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Endings } from '../../../../../services/admin/http/turns/endings.ts';

describe('the end of an answer', () => {
  for (const isWhole of [true, false])
    it(`is noticed with one listener by many operations, if the client gets ${isWhole ? 'all' : 'only a part'} of it`, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // a TCP server
      const leaving = new AbortController();
      const asked = Promise.allSettled([fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal })]);
      const [, answer] = (await once(server, 'request')) as [unknown, ServerResponse];
      const endings = new Endings();
      const before = answer.listenerCount('close');
      const ends = Promise.all(
        Array.from(
          { length: 30 },
          () =>
            new Promise<boolean>((resolve) => {
              endings.notice(answer, resolve);
            }),
        ),
      );
      expect(answer.listenerCount('close') - before).to.equal(1);
      if (isWhole) answer.end('whole');
      else leaving.abort();
      expect(await ends).to.deep.equal(Array.from({ length: 30 }, () => isWhole));
      await asked;
      let isKnown: boolean | undefined;
      endings.notice(answer, (known) => {
        isKnown = known;
      });
      expect(isKnown, 'after the end').to.equal(isWhole);
      server.closeAllConnections();
      server.close();
    });
});
