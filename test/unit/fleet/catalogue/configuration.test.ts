import { expect } from 'chai';
import { configurationOf } from '../../../../packages/fleet/catalogue/sync/tables/configuration.ts';

describe('the configuration for analysts', () => {
  const rollout = (percent: string, { groupId = 'g', stickiness = 'default', ...rest } = {}) => ({
    name: 'flexibleRollout',
    parameters: { rollout: percent, groupId, stickiness },
    ...rest,
  });
  const percentOf = (strategies: readonly unknown[], enabled = true) =>
    configurationOf({ enabled, strategies, variants: [] }).rollout_percent;

  it('is on for everybody without strategies, and for nobody while disabled', () => {
    expect(percentOf([])).to.equal(100);
    expect(percentOf([rollout('50')], false)).to.equal(0);
  });

  it('adds no shares of the same users', () => {
    expect(percentOf([rollout('20'), rollout('50')])).to.equal(50);
    expect(percentOf([rollout('20'), rollout('50', { groupId: 'other' })])).to.equal(60);
    expect(
      percentOf([rollout('50', { stickiness: 'random' }), rollout('50', { stickiness: 'random' })]),
    ).to.equal(75);
  });

  it('leaves out disabled strategies', () => {
    const off = { name: 'default', disabled: true };
    expect(percentOf([off, rollout('30')])).to.equal(30);
    expect(percentOf([off])).to.equal(null);
  });

  it('does not know the percentage if the context decides, unless another strategy is on for everybody', () => {
    const forStaff = {
      ...rollout('100'),
      constraints: [{ contextName: 'staff', operator: 'IN', values: ['1'] }],
    };
    expect(percentOf([forStaff, rollout('10')])).to.equal(null);
    expect(percentOf([forStaff, { name: 'default' }])).to.equal(100);
    expect(percentOf([{ name: 'remoteAddress' }])).to.equal(null);
    expect(percentOf([rollout('10'), { name: 'default', segments: [1] }])).to.equal(null);
    expect(percentOf([rollout('all')])).to.equal(null);
  });

  it('has the variants of the strategies, else those of the environment', () => {
    const variants = [
      { name: 'a', weight: 600 },
      { name: 'b', weight: 400 },
    ];
    const variantsOf = (strategies: readonly unknown[]) =>
      configurationOf({ enabled: true, strategies, variants: [{ name: 'c', weight: 1000 }] }).variants;

    expect(variantsOf([rollout('50')])).to.deep.equal({ c: 1000 });
    expect(variantsOf([{ ...rollout('50'), variants }])).to.deep.equal({ a: 600, b: 400 });
    expect(variantsOf([{ variants }, { variants: variants.toReversed() }])).to.deep.equal({ a: 600, b: 400 });
    expect(variantsOf([{ variants }, rollout('50')])).to.deep.equal({});
  });

  it('lists the constraints of the strategies that are not disabled', () => {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['7'] }];
    const strategies = [{ constraints }, { constraints, disabled: true }];

    expect(
      JSON.parse(configurationOf({ enabled: true, strategies, variants: [] }).constraints),
    ).to.deep.equal(constraints);
  });
});
