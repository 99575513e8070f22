"""Black-Scholes prices of call options, and back to the volatility by Newton's method."""

import numpy as np

SIZE, STEPS = 200_000, 8


def normal_cdf(xp, x):
    """Abramowitz and Stegun, Handbook of Mathematical Functions, formula 26.2.17."""
    t = 1 / (1 + 0.2316419 * xp.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (
        -1.821255978 + t * 1.330274429))))  # fmt: skip
    tail = xp.exp(-0.5 * x * x) * series / np.sqrt(2 * np.pi)
    return xp.where(x > 0, 1 - tail, tail)


def price(xp, spot, strike, years, rate, volatility):
    spread = volatility * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    discounted = strike * xp.exp(-rate * years)
    value = spot * normal_cdf(xp, d1) - discounted * normal_cdf(xp, d1 - spread)
    vega = spot * xp.sqrt(years) * xp.exp(-0.5 * d1 * d1) / np.sqrt(2 * np.pi)
    return value, vega


def run(xp, size, steps, progress):
    rng = np.random.default_rng(4)
    spot = xp.asarray(rng.uniform(80, 120, size))
    strike = xp.asarray(rng.uniform(80, 120, size))
    years = xp.asarray(rng.uniform(0.5, 2, size))
    volatility = xp.asarray(rng.uniform(0.15, 0.5, size))
    market, _ = price(xp, spot, strike, years, 0.02, volatility)
    guess = xp.full(size, 0.3)
    for _ in progress(range(steps)):
        value, vega = price(xp, spot, strike, years, 0.02, guess)
        guess = xp.clip(guess - (value - market) / vega, 0.01, 2.0)
    return guess


def plot(axes, result):
    axes.hist(result, 60)
