// The page of nodes of many groups (bully run -group): who leads what, who would if a node went, and who does when it goes.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axe, judged } from './accessible';
import { Cluster } from './cluster';
import { after, patience, test, visit } from './kit';

const groups = 41;

let cluster: Cluster | undefined;
let roaming: Cluster | undefined;
after(() => Promise.all([cluster?.end(), roaming?.end()]));

// Facts are the four numbers at the top.
interface Facts { groups: number; planned: number; elsewhere: number; without: number }

const facts = async (page: Page): Promise<Facts> => {
  const all = (await page.locator('#facts b').allTextContents()).map(Number);
  return { groups: all[0]!, planned: all[1]!, elsewhere: all[2]!, without: all[3]! };
};

// placed waits until the page says of how many groups so many are led as planned, by another, and by nobody.
async function placed(page: Page, planned: number, elsewhere: number): Promise<void> {
  const wanted = [groups, planned, elsewhere, groups - planned - elsewhere];
  await page.waitForFunction((all) => [...document.querySelectorAll('#facts b')].map((b) => Number(b.textContent)).join() === all, wanted.join(), { timeout: patience })
    .catch(async () => assert.fail(`the page does not say ${wanted}: it says ${JSON.stringify(await facts(page))}. The nodes: ${cluster?.said()}`));
}

// lines returns what the page says of each node: how many it leads, and how many it is to.
async function lines(page: Page): Promise<{ leads: number; planned: number }[]> {
  const said = await page.locator('.node > p:not(.said)').allTextContents();
  return said.map((line) => {
    const [, leads, planned] = /(?:leads|would lead) (\d+) .*planned (\d+)/.exec(line) ?? assert.fail(line);
    return { leads: Number(leads), planned: Number(planned) };
  });
}

const sum = (all: number[]): number => all.reduce((a, b) => a + b, 0);

test('who leads what of many groups: as planned, as it would be if a node went, and so it is when it is killed', { timeout: 300_000 }, async (t) => {
  const nodes = cluster = await Cluster.of('many', 3, 'groups', ['-group', `orders-[0-${groups - 2}],billing=1`]);
  const url = nodes.pages()[0]!;
  const seen = await visit({ url, network: (asked) => asked.startsWith(url) });
  const { page } = seen;
  await placed(page, groups, 0);
  assert.deepEqual(await page.locator('.node h2 > :is(a, span:not(.chip))').allTextContents(), ['Node 1', 'Node 2', 'Node 3']);
  assert.deepEqual(await page.locator('.node .chip').allTextContents(), ['this node', 'connected', 'connected']);
  const planned = await lines(page);
  assert.equal(sum(planned.map(({ leads }) => leads)), groups);
  assert.ok(planned.every(({ leads, planned: plan }) => leads === plan && leads > 0), JSON.stringify(planned));
  await page.getByRole('searchbox', { name: 'Find a group' }).fill('billing');
  await page.locator('#found').filter({ hasText: /^billing: led by node 1, epoch \d+ \(pinned\)$/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Find a group' }).fill('orders-1');
  await page.locator('#found').filter({ hasText: /^orders-1: led by node [123], epoch \d+$/ }).waitFor();

  // What would be.
  await page.getByRole('button', { name: 'If it went' }).nth(2).click();
  await page.locator('#banner').filter({ hasText: 'If node 3 went: ' }).waitFor();
  const moved = planned[2]!.leads;
  assert.match(await page.locator('#banner').textContent() ?? '', new RegExp(`: ${moved} groups? would move, .*All others stay\\.`));
  const foretold = (await lines(page)).map(({ leads }) => leads);
  assert.equal(foretold[2], 0);
  assert.equal(sum(foretold), groups);
  await page.evaluate(axe);
  const { wrong, checks } = await judged(page, 'what would be');
  assert.deepEqual(wrong, []);
  assert.ok(checks > 8, `${checks} checks`);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.locator('#banner').waitFor({ state: 'hidden' });

  // What is.
  await nodes.kill(3);
  await placed(page, groups - moved, moved);
  await page.locator('.node').nth(2).locator('.chip', { hasText: /^(not connected|proved dead)$/ }).waitFor(); // others may lead before this node has seen it
  assert.deepEqual((await lines(page)).map(({ leads }) => leads), foretold, 'as it was foretold');
  assert.equal(await page.locator('#list li').count(), moved);
  const first = (await page.locator('#list li').allTextContents()).map((line) => Number(/^orders-(\d+): /.exec(line)![1]));
  assert.deepEqual(first, first.toSorted((a, b) => a - b), 'by their numbers');
  t.diagnostic(`${moved} of ${groups} groups moved: ${foretold}`);

  nodes.begin(3);
  await placed(page, groups, 0);
  assert.ok(await page.locator('#list').isHidden());
  assert.deepEqual(seen.faults, []);
  await seen.close();

  for (const dark of [false, true]) {
    const small = await visit({ url, phone: true, dark, network: (asked) => asked.startsWith(url) });
    await placed(small.page, groups, 0);
    assert.ok(await small.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the phone');
    await small.page.evaluate(axe);
    assert.deepEqual((await judged(small.page, `a phone${dark ? ', dark' : ''}`)).wrong, []);
    assert.deepEqual(small.faults, []);
    await small.close();
  }
});

test('which members each group has, and which lag behind those of the cluster, and why: while a node is added, and goes', { timeout: 300_000 }, async () => {
  const nodes = roaming = await Cluster.roaming('roaming', 2, 'groups', ['-group', 'orders-[0-9]']);
  const url = nodes.pages()[0]!;
  const all = nodes.pages().map((page) => page.replace(/\/$/, ''));
  const seen = await visit({ url, network: (asked) => asked.startsWith(url) });
  const { page } = seen;
  const lag = async (many: number): Promise<void> => {
    await page.waitForFunction((text) => document.querySelector('#facts li:nth-child(5)')?.textContent === text, `${many}lag behind the members`, { timeout: patience })
      .catch(async () => assert.fail(`not ${many} lag: ${await page.locator('#facts').textContent()}. The nodes: ${nodes.said()}`));
  };
  const chips = async (): Promise<string[]> => page.locator('.node .chip').allTextContents();
  const says = async (text: RegExp): Promise<void> => page.locator('#found').filter({ hasText: text }).waitFor({ timeout: patience });
  await lag(0);
  await page.getByRole('searchbox', { name: 'Find a group' }).fill('orders-3');
  await says(/^orders-3: led by node [12], epoch \d+; members 1, 2$/);
  assert.ok(await page.locator('#lags').isHidden());

  // One comes, and takes part in no group: all lag.
  const third = await nodes.join(['-group', 'other']);
  nodes.say(['member', 'add', '-kind', 'witness', '-http', all.join(), third]);
  await lag(10);
  assert.deepEqual(await chips(), ['this node', 'connected', 'connected, witness']);
  await page.locator('#lags h2').filter({ hasText: /^Not the members of the cluster, as yet: 10 groups$/ }).waitFor();
  await page.locator('#lags li').filter({ hasText: /^orders-\d: 1, 2, 3 \(observer\); node 3 is to vote, and has not acknowledged yet/ }).first().waitFor({ timeout: patience });
  await says(/^orders-3: .*; members 1, 2, 3 \(observer\); it lags behind the cluster: node/);
  await page.evaluate(axe);
  assert.deepEqual((await judged(page, 'groups that lag')).wrong, []);
  assert.ok(await page.getByRole('link', { name: 'the cluster\'s own election' }).isVisible());

  // It takes part: none lags.
  await nodes.kill(3);
  nodes.begin(3);
  await lag(0);
  await says(/; members 1, 2, 3 \(witness\)$/);
  assert.ok(await page.locator('#lags').isHidden());

  // It is removed, and ends; the page has two nodes again.
  nodes.say(['member', 'remove', '-http', all.join(), '3']);
  await page.waitForFunction(() => document.querySelectorAll('.node').length === 2, undefined, { timeout: patience });
  await lag(0);
  await says(/; members 1, 2$/);
  assert.deepEqual(seen.faults, []);
  await seen.close();

  // The cluster's own election has a page beside it.
  const own = await visit({ url: `${url}election`, network: (asked) => nodes.pages().some((page) => asked.startsWith(page)) });
  await own.page.getByText('leads').first().waitFor({ timeout: patience });
  assert.deepEqual(own.faults, []);
  await own.close();
});
