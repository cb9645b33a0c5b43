import { Controller, Get } from '@nestjs/common';
import { System } from '#lib/contracts/system';
import { About, Answers } from '../platform/decorators.js';
import { SystemService } from './system.service.js';

@Controller('api/system')
export class SystemController {
  constructor(readonly service: SystemService) {}

  @Get()
  @About('Read the system status', 'Its version, the number of live workers, and whether its databases answer.')
  @Answers(200, System)
  read(): Promise<System> {
    return this.service.read();
  }
}
