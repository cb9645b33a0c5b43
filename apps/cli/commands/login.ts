import type { Command } from 'commander';
import { ApiClient } from '#lib/client/api-client';
import { examples, localAction, subcommand, type GlobalOptions } from '../command.js';
import { checkedUrl, rememberConnection } from '../connection.js';
import { print, printJson } from '../output/terminal.js';

export function addLogin(program: Command): void {
  const command = subcommand(program, 'login', 'check a server and a token, and save both for later commands').action(
    localAction<GlobalOptions>(login),
  );
  command.addHelpText(...examples('toolmark login --server "$TOOLMARK_SERVER" --token "$TOOLMARK_TOKEN"'));
}

interface Me {
  team: { name: string };
  user: { name: string };
  role: string;
}

async function login({ server, token = process.env.TOOLMARK_TOKEN, json }: GlobalOptions): Promise<void> {
  if (!server || !token)
    throw new Error('Give both: toolmark login --server URL --token TOKEN. TOOLMARK_TOKEN replaces --token.');
  const me = await new ApiClient(checkedUrl(server), token).call<Me>('GET', '/api/me');
  rememberConnection({ server, token });
  if (json) printJson(me);
  else print(`Logged in to ${server} as ${me.user.name} of team ${me.team.name} (${me.role}).`);
}
