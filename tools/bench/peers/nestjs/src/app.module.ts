import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyGuard } from './api-key.guard.js';
import { AppClaimsController, ClaimsController } from './claims.controller.js';
import { ClaimsService } from './claims.service.js';
import * as entities from './entities.js';
import { SessionGuard } from './session.guard.js';

// Nest injects by parameter type, so a class that is only used as a type is still imported as a value.
@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL ?? '',
      poolSize: 10,
      entities: Object.values(entities),
      // The tables exist.
      synchronize: false,
    }),
    TypeOrmModule.forFeature(Object.values(entities)),
  ],
  controllers: [ClaimsController, AppClaimsController],
  providers: [ClaimsService, ApiKeyGuard, SessionGuard],
})
export class AppModule {}
