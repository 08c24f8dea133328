import { expect } from 'chai';
import {
  type Card,
  type Observed,
  observe,
} from '../../../../../../services/admin/advice/clean-ups/rules.ts';

const hour = (of: number): Date => new Date(Date.UTC(2026, 10, 26, of));
const TOLD = { at: hour(2), to: 'Clean-up of the shop' };
const REQUEST = { id: 7, at: hour(3) };

const aCard = (members: Partial<Card> = {}): Card => ({
  stage: 'found',
  since: hour(1),
  heldAt: undefined,
  told: undefined,
  changeRequestId: undefined,
  ...members,
});
const seen = (members: Partial<Observed> = {}): Observed => ({
  isArchived: false,
  isFound: true,
  told: undefined,
  request: undefined,
  isRequestClosed: false,
  lastSeenAt: hour(1),
  isQuiet: false,
  ...members,
});
const stageAfter = (card: Partial<Card>, observed: Partial<Observed> = {}) =>
  observe(aCard(card), seen(observed))?.stage;

describe('the stage of a flag that can go', () => {
  it('follows what happens', () => {
    expect(stageAfter({})).to.equal('found');
    expect(stageAfter({}, { told: TOLD })).to.equal('told');
    expect(stageAfter({ stage: 'told', told: TOLD }, { request: REQUEST })).to.equal('removal');
    expect(stageAfter({ stage: 'removal' }, { isQuiet: true })).to.equal('gone');
    expect(stageAfter({ stage: 'gone' }, { isArchived: true })).to.equal('archived');
  });

  it('goes several steps at once', () => {
    expect(stageAfter({}, { told: TOLD, request: REQUEST, isQuiet: true })).to.equal('gone');
    expect(observe(aCard(), seen({ told: TOLD, request: REQUEST }))).to.deep.equal({
      stage: 'removal',
      told: TOLD,
      changeRequestId: 7,
    });
  });

  it('is not gone before somebody removes it, however silent it is', () => {
    expect(stageAfter({ stage: 'told', told: TOLD }, { isQuiet: true, told: TOLD })).to.equal('told');
  });

  it('ends if no verdict finds the flag any more, unless somebody removes it', () => {
    expect(stageAfter({ stage: 'told', told: TOLD }, { isFound: false })).to.equal(undefined);
    expect(stageAfter({ stage: 'removal' }, { isFound: false })).to.equal('removal');
    expect(stageAfter({ stage: 'gone' }, { isFound: false, isQuiet: true })).to.equal('gone');
  });

  it('goes back if the flag is evaluated again, is revived, or its change request is closed', () => {
    expect(stageAfter({ stage: 'gone' }, { lastSeenAt: hour(2) })).to.equal('removal');
    expect(stageAfter({ stage: 'archived', told: TOLD })).to.equal('told');
    expect(stageAfter({ stage: 'archived' }, { isFound: false })).to.equal(undefined);
    const card = aCard({ stage: 'removal', changeRequestId: 6 });
    expect(observe(card, seen({ isRequestClosed: true }))).to.deep.equal({
      stage: 'found',
      told: undefined,
      changeRequestId: undefined,
    });
    expect(observe(card, seen({ isRequestClosed: true, request: REQUEST }))?.changeRequestId).to.equal(7);
  });

  it('stays where somebody has moved it back, until something happens later', () => {
    const heldAt = hour(4);
    expect(stageAfter({ heldAt }, { request: REQUEST })).to.equal('found');
    expect(stageAfter({ heldAt }, { request: { id: 8, at: hour(5) } })).to.equal('removal');
    const removal = { stage: 'removal', heldAt } as const;
    expect(stageAfter(removal, { isQuiet: true })).to.equal('removal');
    expect(stageAfter(removal, { isQuiet: true, lastSeenAt: hour(5) })).to.equal('gone');
  });

  it('keeps who was told first', () => {
    const later = { at: hour(9), to: 'another' };
    expect(observe(aCard({ stage: 'told', told: TOLD }), seen({ told: later }))?.told).to.equal(TOLD);
  });
});
