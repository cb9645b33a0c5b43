import { Module } from '@nestjs/common';
import { RereadClaims } from './reread-claims.js';
import { SignInController } from './sign-in.controller.js';
import { SignInProviders } from './sign-in-providers.js';
import { SignInService } from './sign-in.service.js';

@Module({
  controllers: [SignInController],
  providers: [RereadClaims, SignInProviders, SignInService],
  exports: [SignInProviders],
})
export class SignInModule {}
