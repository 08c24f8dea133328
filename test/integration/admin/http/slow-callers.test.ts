import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

type Begun = { readonly sent: ClientRequest; readonly status: Promise<number | undefined> };
type Person = { readonly id: number; readonly token: string };

describe('a caller who sends the end of a change after losing the right to it', () => {
  const world = sharedAdminWorld();
  before(() => world.api.post('/api/admin/projects', { id: 'shop', name: 'Shop' }));

  /** Sends all but the end of a body. The server has seen it when it answers a later request on another connection. */
  async function begin({ token }: Person, path: string, body: string): Promise<Begun> {
    const sent = request(`${world.api.url}${path}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json', 'content-length': body.length },
    });
    const status = new Promise<number | undefined>((resolve, reject) => {
      sent.on('error', reject).on('response', (response: IncomingMessage) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    await new Promise((resolve) => sent.write(body.slice(0, -1), resolve));
    for (let reads = 0; reads < 3; reads += 1) await world.api.get('/api/admin/user', { token });
    return { sent, status };
  }

  const admin = (name: string): Promise<Person> => aUser(world.api, 'Admin', name);
  const owner = async (user: string): Promise<Person> => {
    const person = await aUser(world.api, 'None', user);
    await world.api.post('/api/admin/projects/shop/access', { user, role: 'Owner' });
    return person;
  };
  const user = { username: 'left-behind', rootRole: 'Admin' };
  const token = { tokenName: 't', type: 'client', environment: 'production', projects: ['shop'] };
  const become = (rootRole: string) => (id: number) =>
    world.api.put(`/api/admin/user-admin/${id}`, { rootRole });
  const leave = (id: number) => world.api.delete(`/api/admin/user-admin/${id}`);
  const lose = (id: number) => world.api.delete(`/api/admin/projects/shop/access/${id}/Owner`);

  const CASES = [
    {
      of: 'an Admin who becomes a Viewer',
      make: admin,
      then: become('Viewer'),
      answer: 403,
      path: '/api/admin/user-admin',
      body: user,
    },
    {
      of: 'an Admin who is deleted',
      make: admin,
      then: leave,
      answer: 401,
      path: '/api/admin/user-admin',
      body: user,
    },
    {
      of: 'an Owner who loses the role',
      make: owner,
      then: lose,
      answer: 403,
      path: '/api/admin/api-tokens',
      body: token,
    },
    {
      of: 'somebody who is deleted',
      make: admin,
      then: leave,
      answer: 401,
      path: '/api/admin/user/tokens',
      body: { description: 'x', expiresAt: IN_A_MONTH },
    },
  ];
  for (const [index, { of, make, then, answer, path, body }] of CASES.entries())
    it(`changes nothing: ${of}`, async () => {
      const person = await make(`person-${index}`);
      const text = JSON.stringify(body);
      const { sent, status } = await begin(person, path, text);
      expect((await then(person.id)).status).to.equal(200);
      sent.end(text.slice(-1));
      expect(await status).to.equal(answer);
    });
});
