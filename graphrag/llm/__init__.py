"""Language models: how they are asked, what that costs, and what is kept of it.

`dialogue` puts one question until the answer has its shape, whatever model is behind it: `client`
speaks to OpenAI-compatible servers, `bridge` to the models of pydantic-ai. What is asked
stands where the answer is used: `extract/llm`, `sagas/summarize`, `community/llm_summaries`.
Nothing here imports an SDK before a model is made.
"""
