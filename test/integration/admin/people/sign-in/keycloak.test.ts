import { expect } from 'chai';
import { examine } from '#tooling/operations';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { freePort } from '../../../../../tools/stack/index.ts';
import {
  type Keycloak,
  ownKeycloak,
  signInAtKeycloak,
} from '../../../../support/servers/identity/keycloak.ts';
import { SESSION, headersOf } from '../../../../support/servers/identity/sign-in-world.ts';
import { createWanderer } from '../../../../support/servers/identity/wanderer.ts';
import { describeNightly } from '../../../../support/nightly.ts';
import { type World, createWorld } from '../../../../support/world.ts';

type Shown = { readonly user: { readonly id: number; readonly email: string; readonly rootRole: string } };

describeNightly('sign-in by a real Keycloak', () => {
  let url: string;
  let keycloak: Keycloak;
  let world: World;
  before(async function () {
    this.timeout(3_600_000); // the first run installs Keycloak
    url = `http://127.0.0.1:${await freePort()}`;
    keycloak = await ownKeycloak(url, ['ana', 'eva', 'zoe']);
    world = await createWorld(keycloak.settings);
    await world.run(startAdmin);
  });
  after(async () => {
    await world.dispose();
    await keycloak.dispose();
  });

  async function shownTo(person: string): Promise<Shown['user']> {
    const wanderer = createWanderer();
    await signInAtKeycloak(wanderer, url, person);
    const answer = await wanderer.fetch(`${url}/api/admin/user`);
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as Shown).user;
  }

  it('gives the role of the highest group, and another one after a change of groups', async () => {
    await keycloak.setGroups('ana', ['others', 'editors']);
    const first = await shownTo('ana');
    expect(first).to.include({ email: 'ana@example.org', rootRole: 'Editor' });
    await keycloak.setGroups('ana', ['admins']);
    expect(await shownTo('ana')).to.include({ id: first.id, rootRole: 'Admin' });
  });

  it('refuses people without a group that has a role', async () => {
    await keycloak.setGroups('zoe', ['others']);
    const wanderer = createWanderer();
    expect((await signInAtKeycloak(wanderer, url, 'zoe')).status).to.equal(403);
    expect(wanderer.cookie(url, SESSION)).to.equal(undefined);
  });

  it('ends the session there without a question', async () => {
    await keycloak.setGroups('ana', ['admins']);
    const wanderer = createWanderer();
    await signInAtKeycloak(wanderer, url, 'ana');
    const init = { method: 'POST', headers: headersOf(wanderer, url) };
    const answer = await wanderer.fetch(`${url}/sign-out`, init);
    const { endSessionUrl } = (await answer.json()) as { endSessionUrl: string };
    expect((await wanderer.visit(endSessionUrl)).url).to.equal(`${url}/`);
    expect((await wanderer.visit(`${url}/sign-in`)).text).to.include('kc-form-login');
  });

  it('goes on after a change of its keys', async () => {
    await keycloak.setGroups('eva', ['editors']);
    const { id } = await shownTo('eva');
    await keycloak.rotateKeys();
    expect(await shownTo('eva')).to.include({ id, rootRole: 'Editor' });
  });

  it('satisfies flagmeter doctor', async () => {
    const findings = (await examine(world.config, world.log)).filter(({ check }) =>
      check.startsWith('identity provider'),
    );
    expect(findings.map(({ check, state }) => [check, state])).to.deep.equal([
      ['identity provider', 'ok'],
      ['identity provider keys', 'ok'],
      ['identity provider clock', 'ok'],
    ]);
  });
});
