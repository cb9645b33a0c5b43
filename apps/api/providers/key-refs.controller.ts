import { Controller, Get, Inject } from '@nestjs/common';
import { KeyReferences } from '#lib/contracts/provider';
import type { Caller } from '#lib/db/catalogue/callers';
import type { OperatorKeys } from '#lib/runtime/key-refs/operator-keys';
import { About, Answers, Me, Needs } from '../platform/decorators.js';
import { KEY_REFS } from '../platform/stores.js';

/** What a team may give its providers in place of a key. */
@Controller('api/providers/key-refs')
export class KeyRefsController {
  constructor(@Inject(KEY_REFS) readonly keyRefs: OperatorKeys) {}

  @Get()
  @About(
    'List keys by reference',
    'Keys that the operator keeps outside of Toolmark and lets your team use, by name: for `api_key_ref`. None ' +
      'unless the operator lists some.',
  )
  @Needs('owner')
  @Answers(200, KeyReferences)
  list(@Me() caller: Caller): KeyReferences {
    return { items: this.keyRefs.list(caller.teamId) };
  }
}
