import { expect } from 'chai';
import { aggregateInSteps } from '#core/counting';
import { aBatch, aMetric, aggregateOptions, anApplication } from '../../../../support/builders/builders.ts';

describe('aggregateInSteps', () => {
  it('takes a step for each application with many projects, and each metric with many variants', () => {
    const names = Array.from({ length: 500 }, (_, index) => `name-${index}`);
    const variants = Object.fromEntries(names.map((name) => [name, 1]));
    const many = <T>(one: T): T[] => Array.from({ length: 20 }, () => one);
    for (const batch of [
      aBatch({ applications: many(anApplication({ projects: names })) }),
      aBatch({ metrics: many(aMetric({ variants })) }),
    ]) {
      const steps = aggregateInSteps(batch, aggregateOptions());
      let count = 0;
      while (steps.next().done !== true) count += 1;
      expect(count).to.be.at.least(20);
    }
  });
});
