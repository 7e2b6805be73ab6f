import { afterAll, expect, test } from 'vitest';
import type { Form } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { askingForm, SOME_FORM, someAddress } from '../harness/some-forms.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

/** The names of parts of every object. */
const ODD_NAMES: Form = {
  ...SOME_FORM,
  fields: ['constructor', 'toString'].map((name) => ({
    ...{ name, type: 'text', title: null, description: null, required: false },
  })),
};

test('the page shows the fields of a form and sends what was filled in, and links only an address of the web', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) => {
      sessions.add('FORM', askingForm(SOME_FORM));
      sessions.add('ODD', askingForm(ODD_NAMES));
      sessions.add('WEB', askingForm(someAddress('https://example.com/login')));
      sessions.add('SCRIPT', askingForm(someAddress('javascript:alert(1)')));
    },
  });
  const { page, server } = one;
  await one.visit('#/s/FORM');
  const form = page.getByRole('region', { name: 'Form' });
  await form.getByText('a whole number from 1 to 5').waitFor();
  expect(await form.getByRole('textbox', { name: 'count' }).inputValue()).toBe('2');
  await form.getByRole('radio', { name: 'Production' }).check();
  await form.getByRole('textbox', { name: 'count' }).fill('3');
  await form.getByRole('button', { name: 'Accept' }).click();
  await waitFor(() => server.sessions.answers.length === 1, { describe: 'the answer' });
  expect(server.sessions.answers[0]).toMatchObject({ values: { environment: 'production', count: '3' } });

  await one.visit('#/s/ODD');
  await form.getByRole('textbox', { name: 'toString' }).fill('x');
  expect(await form.getByRole('textbox', { name: 'constructor' }).inputValue()).toBe('');
  await form.getByRole('button', { name: 'Accept', exact: true }).click();
  await waitFor(() => server.sessions.answers.length === 2, { describe: 'the answer' });
  expect(Object.entries(server.sessions.answers[1]?.values ?? {})).toEqual([['toString', 'x']]);

  await one.visit('#/s/WEB');
  await form.getByRole('link', { name: 'https://example.com/login' }).waitFor();
  await one.visit('#/s/SCRIPT');
  await form.getByText('javascript:alert(1)').waitFor();
  expect(await form.getByRole('link').count()).toBe(0);
  await form.getByRole('button', { name: 'Decline' }).click();
  await waitFor(() => server.sessions.answers.length === 3, { describe: 'the answer' });
  expect(one.watched.faults).toEqual([]);
});
