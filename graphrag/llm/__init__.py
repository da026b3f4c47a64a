"""Language models: how they are asked, what they are asked, and what of an answer is believed.

`dialogue` puts one question until the answer has its shape, whatever model is behind it: `client`
speaks to OpenAI-compatible servers, `bridge` to the models of pydantic-ai. `reading` and `deciding`
hold the two prompts beside the shapes of their answers; `extractor` and `arbiter` use them. Nothing
here imports an SDK before a model is made.
"""
