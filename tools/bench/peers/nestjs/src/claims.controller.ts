import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  ParseUUIDPipe,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { ApiKeyGuard } from './api-key.guard.js';
import { ClaimsService } from './claims.service.js';
import { PageDto, SendClaimDto } from './dto.js';
import type { ApiKey } from './entities.js';
import { Adjuster, Key } from './requests.js';
import { SessionGuard } from './session.guard.js';

@Controller('v1/claims')
@UseGuards(ApiKeyGuard)
export class ClaimsController {
  constructor(private readonly claims: ClaimsService) {}

  @Get(':id')
  get(@Key() key: ApiKey, @Param('id', ParseUUIDPipe) id: string) {
    return this.claims.get(key, id);
  }

  @Get()
  page(@Key() key: ApiKey, @Query() query: PageDto) {
    return this.claims.page(key, query);
  }

  @Post()
  send(@Key() key: ApiKey, @Headers('idempotency-key') idempotencyKey: string, @Body() body: SendClaimDto) {
    return this.claims.send(key, idempotencyKey, body);
  }
}

@Controller('app/v1/claims')
@UseGuards(SessionGuard)
export class AppClaimsController {
  constructor(private readonly claims: ClaimsService) {}

  @Post(':id/acceptance')
  @HttpCode(200)
  accept(@Adjuster() svcId: string, @Param('id', ParseUUIDPipe) id: string) {
    return this.claims.accept(svcId, id);
  }
}
